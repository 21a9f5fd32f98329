import {
  MAX_COMMIT_BYTES,
  MAX_COMMIT_RECORDS,
  type CommitRecord,
  type CommitResult,
} from '@carillon/contracts';
import { laneOf } from '@carillon/history-store';
import { currentTrace, isTracing, traced } from '@carillon/tracing';
import { rejected, skipped } from '../evaluate/answers.js';
import type { ConversationParts } from './conversation.js';
import { InsideLane } from './inside-lane.js';
import { Job, recordBytes } from './job.js';
import { LaneClient } from './lane-client.js';

export interface CommitClientOptions {
  /** Number of lanes; equal in all processes. */
  readonly lanes: number;
  readonly nodeId: string;
  /** Total time budget of a record, from the call to the result. */
  readonly budgetMs: number;
  /** The largest record that the broker carries; null: there is no broker, and nothing is written out. */
  readonly maxRecordBytes: number | null;
}

const commitSpan = () => ({ name: 'commit', kind: 'client' }) as const;

/** Adds the current trace to the records, so that the writer continues it. */
function withTrace(records: readonly CommitRecord[]): readonly CommitRecord[] {
  if (!isTracing()) return records;
  const trace = currentTrace();
  return records.map((record) => ({ ...record, trace }));
}

/** Limit of cached routes; evicted ones are computed again. */
const MAX_ROUTES = 10_000;

/**
 * Commits records for a publisher. Every record gets a result within the budget, in call order; failures of the
 * transport are rejections too: `backpressure` (nothing was committed), `service_unavailable` (it may have been
 * committed once; a retry with the same record or key resolves it) or `payload_too_large`. Records of one channel are
 * committed in call order.
 */
export class CommitClient {
  readonly #lanes = new Map<number, LaneClient | InsideLane>();
  /** The lanes of channels that were written to. */
  readonly #routes = new Map<string, number>();

  constructor(
    private readonly parts: ConversationParts,
    private readonly options: CommitClientOptions,
  ) {}

  /** Each record for itself. */
  commit(records: readonly CommitRecord[]): Promise<readonly CommitResult[]> {
    return traced(commitSpan, () => this.#each(withTrace(records)));
  }

  /** One after another: after the first that is rejected the rest is answered `skipped`. */
  commitChain(records: readonly CommitRecord[]): Promise<readonly CommitResult[]> {
    return traced(commitSpan, () => this.#chain(withTrace(records)));
  }

  async #each(records: readonly CommitRecord[]): Promise<readonly CommitResult[]> {
    if (records.length === 1) return this.#send(records, false);
    const results = await Promise.all(records.map((record) => this.#send([record], false)));
    return results.flat();
  }

  async #chain(records: readonly CommitRecord[]): Promise<readonly CommitResult[]> {
    const results: CommitResult[] = [];
    for (const run of this.#runs(records)) {
      const ended = results.some(({ status }) => status === 'rejected');
      results.push(...(ended ? run.map(({ pub_id: pubId }) => skipped(pubId)) : await this.#send(run, true)));
    }
    return results;
  }

  #send(records: readonly CommitRecord[], chain: boolean): Promise<readonly CommitResult[]> {
    const [first] = records;
    if (first === undefined) return Promise.resolve([]);
    const { maxRecordBytes, budgetMs } = this.options;
    let bytes = 0;
    for (const record of records) {
      const size = this.#bytesOf(record);
      if (maxRecordBytes !== null && size > maxRecordBytes)
        return Promise.resolve(records.map(({ pub_id: pubId }) => rejected(pubId, 'payload_too_large')));
      bytes += size;
    }
    const job = new Job(records, { chain, bytes, deadlineMs: this.parts.clock.elapsed() + budgetMs });
    this.#lane(this.#laneOf(first)).submit(job);
    return job.done;
  }

  #bytesOf(record: CommitRecord): number {
    return this.options.maxRecordBytes === null ? 0 : recordBytes(record);
  }

  #laneOf({ app_id: appId, channel }: CommitRecord): number {
    const name = `${appId}\0${channel}`;
    const known = this.#routes.get(name);
    if (known !== undefined) return known;
    const lane = laneOf(appId, channel, this.options.lanes);
    if (this.#routes.size >= MAX_ROUTES) this.#routes.clear();
    this.#routes.set(name, lane);
    return lane;
  }

  #lane(lane: number): LaneClient | InsideLane {
    const found = this.#lanes.get(lane);
    if (found !== undefined) return found;
    const { lanes, nodeId } = this.options;
    const inside = this.parts.transport.laneInside?.(lane) ?? null;
    const made =
      inside === null
        ? new LaneClient(this.parts, { lane, lanes, nodeId })
        : new InsideLane(this.parts, inside);
    this.#lanes.set(lane, made);
    return made;
  }

  /** Neighbours of one lane, as many as one request carries. */
  #runs(records: readonly CommitRecord[]): CommitRecord[][] {
    const runs: { readonly lane: number; readonly records: CommitRecord[]; bytes: number }[] = [];
    for (const record of records) {
      const [lane, bytes, last] = [this.#laneOf(record), this.#bytesOf(record), runs.at(-1)];
      if (
        last?.lane === lane &&
        last.records.length < MAX_COMMIT_RECORDS &&
        last.bytes + bytes <= MAX_COMMIT_BYTES
      ) {
        last.records.push(record);
        last.bytes += bytes;
      } else runs.push({ lane, records: [record], bytes });
    }
    return runs.map((run) => run.records);
  }
}

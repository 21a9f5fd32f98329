import { randomUUID } from 'node:crypto';
import type { CommitRecordOf } from '@carillon/contracts';
import { type HistoryStore, laneOf, type StreamAddress } from '@carillon/history-store';
import type { Clock } from '../clock.js';
import type { Lane } from '../lane/lane.js';

/** Between two rounds. */
const EVERY_MS = 60_000;
/** Streams per round; the next round continues after them. */
const MAX_STREAMS = 1000;
/** A lane that does not come to it by then has better to do. */
const BUDGET_MS = 5000;

export interface VerificationParts {
  readonly store: Pick<HistoryStore, 'degraded'>;
  readonly clock: Clock;
  /** Null: another writer serves it. */
  readonly laneHere: (number: number) => Pick<Lane, 'submit'> | null;
  /** A round failed; the next one continues. May not throw. */
  readonly failed: (error: unknown) => void;
}

export interface VerificationOptions {
  /** Number of lanes. */
  readonly lanes: number;
  /** The process, as it is named in the state of a stream. */
  readonly nodeId: string;
}

/**
 * Periodically claims that every degraded message stream in the lanes of this process is healthy: its writer verifies
 * the claim under the lock, and drops false ones. A verification scans a whole stream, so they run one at a time, and
 * rounds do not overlap.
 */
export class Verification {
  /** The key of the stream that was verified last; null: a round begins with the first. */
  #after: string | null = null;
  #isOver = false;
  #stopWaiting: () => void = () => {};

  constructor(
    private readonly parts: VerificationParts,
    private readonly options: VerificationOptions,
  ) {}

  begin(): void {
    if (this.#isOver) return;
    this.#stopWaiting = this.parts.clock.after(EVERY_MS, () => void this.#roundAndNext());
  }

  /** Nothing is verified from then on, but for the stream whose turn it is. */
  stop(): void {
    this.#isOver = true;
    this.#stopWaiting();
  }

  async #roundAndNext(): Promise<void> {
    try {
      await this.#round();
    } catch (error) {
      if (!this.#isOver) this.parts.failed(error);
    }
    this.begin();
  }

  async #round(): Promise<void> {
    const streams = await this.parts.store.degraded({ after: this.#after, limit: MAX_STREAMS });
    for (const { address, streamKey } of streams) {
      if (this.#isOver) return;
      // A stream that cannot be verified is passed by the next round, so that it does not block the others.
      this.#after = streamKey;
      await this.#verify(address);
    }
    if (streams.length < MAX_STREAMS) this.#after = null;
  }

  async #verify(address: StreamAddress): Promise<void> {
    const { appId, channel } = address;
    const lane = this.parts.laneHere(laneOf(appId, channel, this.options.lanes));
    if (lane === null) return;
    const records = [this.#healthy(address)];
    const answer = await lane.submit({ records, budgetMs: BUDGET_MS, chain: false });
    if (answer.kind === 'committed' && answer.results[0]?.status !== 'applied')
      throw new Error('a degraded stream could not be verified');
  }

  #healthy({ appId: app_id, channel, kind: stream }: StreamAddress): CommitRecordOf<'mark'> {
    const { nodeId: node_id } = this.options;
    const pub_id = randomUUID();
    return { op: 'mark', pub_id, app_id, channel, stream, state: 'healthy', reason: null, node_id };
  }
}

import { randomUUID } from 'node:crypto';
import type { CommitRecordOf } from '@carillon/contracts';
import { type HistoryStore, laneOf, type StreamAddress } from '@carillon/history-store';
import type { Clock } from '../clock.js';
import type { Lane } from '../lane/lane.js';

/** Between two rounds. */
const EVERY_MS = 60_000;
/** Streams that one round goes through; the next goes on behind them. */
const MOST_STREAMS = 1000;
/** A lane that does not come to it by then has better to do. */
const BUDGET_MS = 5000;

export interface VerificationParts {
  readonly store: Pick<HistoryStore, 'degraded'>;
  readonly clock: Clock;
  /** Null: it is served by somebody else. */
  readonly laneHere: (number: number) => Pick<Lane, 'submit'> | null;
  /** A round ended early; the next goes on. May not throw. */
  readonly failed: (error: unknown) => void;
}

export interface VerificationOptions {
  /** How many lanes there are. */
  readonly lanes: number;
  /** The process, as it is named in the state of a stream. */
  readonly nodeId: string;
}

/**
 * Says now and then of every degraded stream of messages in the lanes of this process that it is healthy: its writer
 * looks under the lock, and drops what is not so. Since that goes through a whole stream, one waits for the other, and a
 * round for the one before.
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
    const streams = await this.parts.store.degraded({ after: this.#after, limit: MOST_STREAMS });
    for (const { address, streamKey } of streams) {
      if (this.#isOver) return;
      // Behind one that cannot be verified the next round goes on, so that it does not keep the others from it.
      this.#after = streamKey;
      await this.#verify(address);
    }
    if (streams.length < MOST_STREAMS) this.#after = null;
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

import { randomUUID } from 'node:crypto';
import { ORPHANED, orphanedExtras } from '@carillon/history-ai';
import type { CommitRecordOf } from '@carillon/contracts';
import { type DurableStore, laneOf, type OpenStream, type StreamAddress } from '@carillon/history-store';
import type { Clock } from '../clock.js';
import type { Lane } from '../lane/lane.js';

/** Streams ended per round; the next round continues with the longest idle ones. */
const MAX_STREAMS = 1000;
/** A lane that does not come to it by then has better to do. */
const BUDGET_MS = 5000;
/** Between two rounds, at least. */
const EVERY_MS = 1000;

export interface OrphanParts {
  readonly store: Pick<DurableStore, 'idleStreams'>;
  readonly clock: Clock;
  /** Null: another writer serves it. */
  readonly laneHere: (number: number) => Pick<Lane, 'submit'> | null;
  /** A stream was ended. May not throw. */
  readonly orphaned: (address: StreamAddress, messageSerial: string) => void;
  /** A round failed; the next one continues. May not throw. */
  readonly failed: (error: unknown) => void;
}

export interface OrphanOptions {
  /** Number of lanes. */
  readonly lanes: number;
  /** Silence after which a stream is ended. */
  readonly idleMs: number;
  /** Between two rounds; a second at least. */
  readonly everyMs: number;
  /** Returns the policy for changes of messages of the channel. */
  readonly policyOf: (channel: string) => CommitRecordOf<'update'>['policy'];
}

/**
 * Ends idle AI streams in the lanes of this process by an ordinary change, conditional on no other change since.
 * Hence each is ended once, whichever processes search for them.
 */
export class Orphans {
  #isOver = false;
  #stopWaiting: () => void = () => {};
  #round: Promise<void> = Promise.resolve();

  constructor(
    private readonly parts: OrphanParts,
    private readonly options: OrphanOptions,
  ) {}

  begin(): void {
    if (this.#isOver) return;
    const waitMs = Math.max(EVERY_MS, this.options.everyMs);
    this.#stopWaiting = this.parts.clock.after(waitMs, () => {
      this.#round = this.#roundAndNext();
    });
  }

  /** Starts no further change; resolves when those in progress are done and reported. */
  stop(): Promise<void> {
    this.#isOver = true;
    this.#stopWaiting();
    return this.#round;
  }

  async #roundAndNext(): Promise<void> {
    try {
      await this.round();
    } catch (error) {
      if (!this.#isOver) this.parts.failed(error);
    }
    this.begin();
  }

  /** Ends those that are idle now. */
  async round(): Promise<void> {
    const { store, clock } = this.parts;
    const idleSinceMs = clock.now() - this.options.idleMs;
    // Reads all lanes together: the lane follows from the channel.
    const idle = await store.idleStreams({ lane: 0, lanes: 1, idleSinceMs, limit: MAX_STREAMS });
    for (const stream of idle) {
      if (this.#isOver) return;
      await this.#end(stream);
    }
  }

  async #end({ address, message }: OpenStream): Promise<void> {
    const { appId: app_id, channel } = address;
    const lane = this.parts.laneHere(laneOf(app_id, channel, this.options.lanes));
    if (lane === null) return;
    const record: CommitRecordOf<'update'> = {
      op: 'update',
      pub_id: randomUUID(),
      app_id,
      channel,
      message_id: randomUUID(),
      message_serial: message.messageSerial,
      actor: { grant: 'any' },
      extras: orphanedExtras(message.extras),
      ...ORPHANED,
      only_version: message.versionSerial,
      policy: this.options.policyOf(channel),
    };
    const answer = await lane.submit({ records: [record], budgetMs: BUDGET_MS, chain: false });
    if (answer.kind === 'committed' && answer.results[0]?.status === 'applied')
      this.parts.orphaned(address, message.messageSerial);
  }
}

import type { Followable, Followed } from './followed.js';

/** Channels per batch. */
const MAX_IN_QUERY = 2000;
/** Concurrent batches of one kind. */
const MAX_AT_ONCE = 4;

/** A requested head of a channel. */
interface Wanted<Record extends Followable> {
  readonly one: Followed<Record>;
  readonly answered: () => void;
  readonly failed: (error: unknown) => void;
}

/** Requests of one kind: channels to be requested, and the number of pending batches. */
interface Asking<Record extends Followable> {
  wanted: Wanted<Record>[];
  running: number;
}

/**
 * Requests the heads of channels in batches, at most one per channel at a time. Under load, as when all clients
 * reconnect, a batch contains every channel that was requested while earlier batches were pending.
 */
export class HeadQuestions<Record extends Followable> {
  readonly #plain: Asking<Record> = { wanted: [], running: 0 };
  readonly #making: Asking<Record> = { wanted: [], running: 0 };

  constructor(
    /** Rejects if the heads cannot be read. */
    private readonly heads: (asked: readonly Followed<Record>[], make: boolean) => Promise<void>,
  ) {}

  /**
   * Requests the head of a channel. Requests of one turn of the loop share a batch. If a request for the channel is
   * pending, returns that one.
   */
  ask(one: Followed<Record>, make = false): Promise<void> {
    if (one.asking !== null) return one.asking;
    const kind = make ? this.#making : this.#plain;
    const asking = new Promise<void>((answered, failed) => {
      if (kind.wanted.push({ one, answered, failed }) === 1) setImmediate(() => this.#askAll(kind));
    });
    one.asking = asking;
    return asking;
  }

  #askAll(kind: Asking<Record>): void {
    while (kind.running < MAX_AT_ONCE && kind.wanted.length > 0) {
      kind.running += 1;
      void this.#answer(kind.wanted.splice(0, MAX_IN_QUERY), kind === this.#making).finally(() => {
        kind.running -= 1;
        this.#askAll(kind);
      });
    }
  }

  async #answer(wanted: readonly Wanted<Record>[], make: boolean): Promise<void> {
    try {
      await this.heads(
        wanted.map(({ one }) => one),
        make,
      );
      for (const { one, answered } of wanted) {
        one.asking = null;
        answered();
      }
    } catch (error) {
      for (const { one, failed } of wanted) {
        one.asking = null;
        failed(error);
      }
    }
  }
}

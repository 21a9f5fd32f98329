import type { Followable, Followed } from './followed.js';

/** Channels in one query. */
const MOST_IN_QUERY = 2000;
/** Questions of one kind on their way. */
const MOST_AT_ONCE = 4;

/** Where a channel stands is wanted to be known. */
interface Wanted<Record extends Followable> {
  readonly one: Followed<Record>;
  readonly answered: () => void;
  readonly failed: (error: unknown) => void;
}

/** Those of one kind: who is to be asked for, and how many questions are not answered yet. */
interface Asking<Record extends Followable> {
  wanted: Wanted<Record>[];
  running: number;
}

/**
 * Asks where channels stand, together and not more often than somebody needs to know: where very many are asked for at one
 * time, as when everybody comes back, a question takes all that came while others were on their way.
 */
export class HeadQuestions<Record extends Followable> {
  readonly #plain: Asking<Record> = { wanted: [], running: 0 };
  readonly #making: Asking<Record> = { wanted: [], running: 0 };

  constructor(
    /** Rejects when it cannot be told. */
    private readonly heads: (asked: readonly Followed<Record>[], make: boolean) => Promise<void>,
  ) {}

  /**
   * Asks where a channel stands; whoever is asked for in one turn of the loop is asked for together. Who asks while somebody
   * does already gets that answer.
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
    while (kind.running < MOST_AT_ONCE && kind.wanted.length > 0) {
      kind.running += 1;
      void this.#answer(kind.wanted.splice(0, MOST_IN_QUERY), kind === this.#making).finally(() => {
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

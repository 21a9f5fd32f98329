import type { Followable, Followed } from './followed.js';

/** Channels in one query. */
const MOST_IN_QUERY = 2000;

/** Where a channel stands is wanted to be known. */
interface Wanted<Record extends Followable> {
  readonly one: Followed<Record>;
  readonly make: boolean;
  readonly answered: () => void;
  readonly failed: (error: unknown) => void;
}

/** Asks where channels stand, together and not more often than somebody needs to know. */
export class HeadQuestions<Record extends Followable> {
  /** Who is asked for in this turn of the loop. */
  #wanted: Wanted<Record>[] = [];

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
    const asking = new Promise<void>((answered, failed) => {
      if (this.#wanted.push({ one, make, answered, failed }) === 1) setImmediate(() => this.#askAll());
    });
    one.asking = asking;
    return asking;
  }

  #askAll(): void {
    const wanted = this.#wanted.splice(0);
    for (const make of [false, true]) {
      const alike = wanted.filter((one) => one.make === make);
      for (let at = 0; at < alike.length; at += MOST_IN_QUERY)
        void this.#answer(alike.slice(at, at + MOST_IN_QUERY), make);
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

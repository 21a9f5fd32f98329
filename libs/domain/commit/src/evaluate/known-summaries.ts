import type { RunningSummary } from '@carillon/annotations';
import type { KnownSummary } from '@carillon/history-store';

/** As many clients as are kept with all summaries; a summary takes as much beside them as some more. */
const MOST_CLIENTS = 200_000;
const CLIENTS_OF_ITS_OWN = 10;

/**
 * Summaries as this process left them, so that the next annotation of a type need neither read nor add up those of all
 * clients. A batch takes those of its messages out, and they come back with its commit: what a batch that failed has
 * added to them is never seen. Whether one still is what is stored, its last annotation tells.
 */
export class KnownSummaries {
  readonly #ofMessage = new Map<string, readonly RunningSummary[]>();
  #clients = 0;

  /** Those of these messages, by their serials. */
  take(messageSerials: Iterable<string>): TakenSummaries {
    const taken: RunningSummary[] = [];
    for (const serial of messageSerials) {
      const found = this.#ofMessage.get(serial);
      if (found === undefined) continue;
      this.#forget(serial, found);
      taken.push(...found);
    }
    return new TakenSummaries(taken);
  }

  /** After the commit of what was added to them. */
  keep(summaries: readonly RunningSummary[]): void {
    for (const summary of summaries) {
      const { messageSerial } = summary.key;
      const others = this.#ofMessage.get(messageSerial) ?? [];
      this.#forget(messageSerial, others);
      const all = [...others, summary];
      this.#ofMessage.set(messageSerial, all);
      this.#clients += sizeOf(all);
    }
    for (const [serial, all] of this.#ofMessage) {
      if (this.#clients <= MOST_CLIENTS) return;
      this.#forget(serial, all);
    }
  }

  #forget(serial: string, all: readonly RunningSummary[]): void {
    if (this.#ofMessage.delete(serial)) this.#clients -= sizeOf(all);
  }
}

/** What a batch knows already. */
export class TakenSummaries {
  readonly #summaries: Set<RunningSummary>;

  constructor(summaries: readonly RunningSummary[] = []) {
    this.#summaries = new Set(summaries);
  }

  get all(): readonly KnownSummary[] {
    return [...this.#summaries].map(({ key, lastNo }) => ({ ...key, lastNo }));
  }

  /** The one that the store has too, once: it is changed from now on. Undefined: it is not known. */
  take(found: KnownSummary): RunningSummary | undefined {
    for (const summary of this.#summaries) {
      if (!summary.is(found)) continue;
      this.#summaries.delete(summary);
      return summary;
    }
    return undefined;
  }

  /** Those that the batch did not come to. */
  get left(): readonly RunningSummary[] {
    return [...this.#summaries];
  }
}

/** Does not change while it is kept. */
const sizeOf = (summaries: readonly RunningSummary[]): number =>
  summaries.reduce((sum, { tally }) => sum + tally.clients + CLIENTS_OF_ITS_OWN, 0);

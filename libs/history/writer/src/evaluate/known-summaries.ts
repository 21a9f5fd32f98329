import type { RunningSummary, SummaryKey } from '@carillon/history-annotations';
import type { KnownSummary } from '@carillon/history-store';

/** The most clients in all summaries that are kept; a summary counts as some more clients of its own. */
const MAX_CLIENTS = 200_000;
const CLIENTS_OF_ITS_OWN = 10;

/** A summary that a batch may change. */
export interface AnnotatedType {
  readonly messageSerial: string;
  /** Null: not known, any type of the message. */
  readonly type: string | null;
}

/**
 * Summaries as this process wrote them last, so that the next annotation of a type need not read and add up all
 * clients. A batch takes those it may change and returns them with its commit: changes of a failed batch are
 * discarded. The number of the last annotation shows whether a summary still equals the stored one.
 */
export class KnownSummaries {
  /** By message and type, most recently annotated message last. */
  readonly #ofMessage = new Map<string, Map<string, RunningSummary>>();
  #clients = 0;

  constructor(private readonly mostClients = MAX_CLIENTS) {}

  /** Takes the summaries that a batch may change. */
  take(annotated: Iterable<AnnotatedType>): TakenSummaries {
    const taken: RunningSummary[] = [];
    for (const { messageSerial, type } of annotated) {
      const types = type === null ? [...(this.#ofMessage.get(messageSerial)?.keys() ?? [])] : [type];
      for (const one of types) {
        const summary = this.#remove(messageSerial, one);
        if (summary !== undefined) taken.push(summary);
      }
    }
    return new TakenSummaries(taken);
  }

  /** Stores the summaries after their commit. */
  keep(summaries: readonly RunningSummary[]): void {
    for (const summary of summaries) {
      const { messageSerial, type } = summary.key;
      this.#remove(messageSerial, type);
      const types = this.#ofMessage.get(messageSerial) ?? new Map<string, RunningSummary>();
      types.set(type, summary);
      this.#ofMessage.delete(messageSerial);
      this.#ofMessage.set(messageSerial, types);
      this.#clients += sizeOf(summary);
    }
    for (const [messageSerial, types] of this.#ofMessage) {
      if (this.#clients <= this.mostClients) return;
      for (const type of types.keys()) this.#remove(messageSerial, type);
    }
  }

  #remove(messageSerial: string, type: string): RunningSummary | undefined {
    const types = this.#ofMessage.get(messageSerial);
    const summary = types?.get(type);
    if (types === undefined || summary === undefined) return undefined;
    this.#clients -= sizeOf(summary);
    types.delete(type);
    if (types.size === 0) this.#ofMessage.delete(messageSerial);
    return summary;
  }
}

/** The summaries that a batch need not read. */
export class TakenSummaries {
  readonly #summaries: Map<string, RunningSummary>;

  constructor(summaries: readonly RunningSummary[] = []) {
    this.#summaries = new Map(summaries.map((summary) => [nameOf(summary.key), summary]));
  }

  get all(): readonly KnownSummary[] {
    return this.left.map(({ key, lastNo }) => ({ ...key, lastNo }));
  }

  /** The summary that the store has too, once: it is changed from now on. Undefined: it is not known. */
  take(found: KnownSummary): RunningSummary | undefined {
    const name = nameOf(found);
    const summary = this.#summaries.get(name);
    if (summary === undefined || !summary.is(found)) return undefined;
    this.#summaries.delete(name);
    return summary;
  }

  /** The summaries that the batch did not use. */
  get left(): readonly RunningSummary[] {
    return [...this.#summaries.values()];
  }
}

const nameOf = ({ streamKey, messageSerial, type }: SummaryKey): string =>
  `${streamKey}\0${messageSerial}\0${type}`;

/** Does not change while it is kept. */
const sizeOf = ({ tally }: RunningSummary): number => tally.clients + CLIENTS_OF_ITS_OWN;

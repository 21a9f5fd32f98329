import type { AnnotationSummary, Contribution } from '@carillon/history-store';
import { Order } from './order.js';
import { jsonBytes, Shares } from './shares.js';
import { methodOf, type Method } from './type.js';

/** Amount added by a client under a name; anonymous without a client. */
export interface Share {
  readonly name: string;
  readonly clientId: string | null;
  readonly amount: number;
}

/**
 * Sum of all annotations of one type of a message. Adding one costs the same regardless of the number of clients, and
 * so does the length of the full text.
 */
export class Tally {
  readonly #shares = new Map<string, Shares>();
  readonly #names = new Order();
  /** Name of each client, for methods that allow one per client. */
  readonly #placeOf = new Map<string, string>();
  #bytes = 0;
  #clients = 0;
  /** Bytes of all names as JSON object keys. */
  #nameBytes = 0;

  private constructor(private readonly method: Method) {}

  /** Restores the sum from its stored form; null: nothing is stored. */
  static of(type: string, stored: Pick<AnnotationSummary, 'since' | 'summary'> | null): Tally {
    const method = methodOf(type);
    if (method === null) throw new Error('no type of annotations');
    const tally = new Tally(method);
    if (stored === null) return tally;
    for (const share of sharesIn(method, JSON.parse(stored.summary) as StoredSummary)) tally.#set(share);
    for (const contribution of stored.since) tally.apply(contribution);
    return tally;
  }

  /** Returns the changes that undo it. */
  apply(contribution: Contribution): readonly Share[] {
    return this.#changes(contribution)
      .map((share) => this.#set(share))
      .reverse();
  }

  undo(shares: readonly Share[]): void {
    for (const share of shares) this.#set(share);
  }

  /** Number of clients in the summary. */
  get clients(): number {
    return this.#clients;
  }

  /** Bytes of the text with every client. */
  get bytes(): number {
    if (this.method === 'total') return this.text().length;
    if (this.method === 'flag') return this.#at('').listBytes();
    return '{}'.length + Math.max(0, this.#names.size - 1) + this.#bytes;
  }

  /** Number of distinct names with at least one client. */
  get names(): number {
    return this.#names.size;
  }

  /** Bytes of the text with at most `maxClients` clients per list. */
  bytesAt(maxClients: number): number {
    if (this.method === 'total') return this.bytes;
    if (this.method === 'flag') return this.#at('').bytesAt('list', maxClients);
    const form = this.method === 'multiple' ? 'counts' : 'list';
    let bytes = '{}'.length + Math.max(0, this.names - 1) + this.#nameBytes;
    for (const shares of this.#shares.values()) bytes += shares.bytesAt(form, maxClients);
    return bytes;
  }

  /** Summary as JSON text with at most `maxClients` clients per list. */
  text(maxClients: number = Infinity): string {
    if (this.method === 'total') return `{"total":${this.#at('').of(null)}}`;
    if (this.method === 'flag') return this.#at('').listText(maxClients);
    const members = this.#names.first(Infinity).map((name) => {
      const shares = this.#at(name);
      const text = this.method === 'multiple' ? shares.countsText(maxClients) : shares.listText(maxClients);
      return `${JSON.stringify(name)}:${text}`;
    });
    return `{${members.join(',')}}`;
  }

  #changes({ action, name, clientId, count }: Contribution): readonly Share[] {
    const made = action === 'create';
    const under = name ?? '';
    if (this.method === 'total') {
      const total = this.#at('').of(null) + (made ? 1 : -1);
      return [{ name: '', clientId: null, amount: Math.max(0, total) }];
    }
    if (this.method === 'multiple') {
      if (made) return [{ name: under, clientId, amount: this.#at(under).of(clientId) + (count ?? 1) }];
      return clientId === null ? [] : [{ name: under, clientId, amount: 0 }];
    }
    if (clientId === null) return [];
    if (this.method === 'flag') return [{ name: '', clientId, amount: Number(made) }];
    if (this.method === 'distinct') return [{ name: under, clientId, amount: Number(made) }];
    const place = this.#placeOf.get(clientId);
    const left = place === undefined ? [] : [{ name: place, clientId, amount: 0 }];
    return made ? [...left, { name: under, clientId, amount: 1 }] : left;
  }

  #at(name: string): Shares {
    return this.#shares.get(name) ?? NONE;
  }

  /** Gives the share as it was before. */
  #set({ name, clientId, amount }: Share): Share {
    const found = this.#shares.get(name);
    const shares = found ?? new Shares();
    const before: Share = { name, clientId, amount: shares.of(clientId) };
    const clients = shares.clients;
    if (found !== undefined) this.#bytes -= this.#bytesOf(name, shares);
    shares.set(clientId, amount);
    this.#clients += shares.clients - clients;
    if (!shares.isEmpty) this.#bytes += this.#bytesOf(name, shares);
    if (found === undefined && !shares.isEmpty) {
      this.#shares.set(name, shares);
      this.#names.add(name);
      this.#nameBytes += memberBytes(name);
    } else if (found !== undefined && shares.isEmpty) {
      this.#shares.delete(name);
      this.#names.remove(name);
      this.#nameBytes -= memberBytes(name);
    }
    if (this.method === 'unique' && clientId !== null) {
      if (amount === 0) this.#placeOf.delete(clientId);
      else this.#placeOf.set(clientId, name);
    }
    return before;
  }

  #bytesOf(name: string, shares: Shares): number {
    const bytes = this.method === 'multiple' ? shares.countsBytes() : shares.listBytes();
    return memberBytes(name) + bytes;
  }
}

const NONE = new Shares();

const memberBytes = (name: string): number => jsonBytes(name) + ':'.length;

interface TotalSummary {
  readonly total?: number;
}
interface SharesSummary {
  readonly clientIds?: readonly string[];
  readonly clientCounts?: Readonly<Record<string, number>>;
  readonly totalUnidentified?: number;
}
type NamedSummary = Readonly<Record<string, SharesSummary>>;
type StoredSummary = NamedSummary | SharesSummary | TotalSummary;

function* sharesIn(method: Method, stored: StoredSummary): Generator<Share> {
  if (method === 'total') yield { name: '', clientId: null, amount: (stored as TotalSummary).total ?? 0 };
  else if (method === 'flag') yield* sharesUnder('', stored as SharesSummary);
  else for (const [name, shares] of Object.entries(stored as NamedSummary)) yield* sharesUnder(name, shares);
}

function* sharesUnder(
  name: string,
  { clientIds = [], clientCounts = {}, totalUnidentified = 0 }: SharesSummary,
): Generator<Share> {
  for (const clientId of clientIds) yield { name, clientId, amount: 1 };
  for (const [clientId, amount] of Object.entries(clientCounts)) yield { name, clientId, amount };
  if (totalUnidentified > 0) yield { name, clientId: null, amount: totalUnidentified };
}

import { methodOf, type Method } from './type.js';

/** An annotation as it counts: made, or taken back. */
export interface Contribution {
  readonly action: 'create' | 'delete';
  readonly name: string | null;
  readonly clientId: string | null;
  readonly count: number | null;
}

/** Clients under one name, with how much each has added, and what was added by nobody in particular. */
interface Entry {
  readonly clients: Map<string, number>;
  unidentified: number;
}

/** All annotations of one type of one message, added up. */
export class Tally {
  readonly #entries = new Map<string, Entry>();
  #total = 0;

  private constructor(private readonly method: Method) {}

  /** From the summary that is stored; null: there is none yet. */
  static of(type: string, summary: string | null): Tally {
    const method = methodOf(type);
    if (method === null) throw new Error('no type of annotations');
    const tally = new Tally(method);
    if (summary !== null) tally.#read(JSON.parse(summary) as StoredSummary);
    return tally;
  }

  apply({ action, name, clientId, count }: Contribution): void {
    const made = action === 'create';
    if (this.method === 'total') {
      this.#total = Math.max(0, this.#total + (made ? 1 : -1));
      return;
    }
    const under = this.method === 'flag' ? '' : (name ?? '');
    if (this.method === 'unique' && clientId !== null) {
      for (const other of this.#entries.keys()) this.#remove(other, clientId);
    } else if (!made && clientId !== null) this.#remove(under, clientId);
    if (made) this.#add(under, clientId, this.method === 'multiple' ? (count ?? 1) : 1);
  }

  /** How many clients are told of. */
  get clients(): number {
    let clients = 0;
    for (const entry of this.#entries.values()) clients += entry.clients.size;
    return clients;
  }

  /** The summary as JSON text, with so many clients a list at most. */
  text(maxClients: number = Infinity): string {
    if (this.method === 'total') return `{"total":${this.#total}}`;
    if (this.method === 'flag') return listText(this.#entries.get('')?.clients ?? new Map(), maxClients);
    const names = [...this.#entries.keys()].sort(byBytes);
    const members = names.map((name) => {
      const entry = this.#entries.get(name);
      if (entry === undefined) return '';
      const text =
        this.method === 'multiple' ? countsText(entry, maxClients) : listText(entry.clients, maxClients);
      return `${JSON.stringify(name)}:${text}`;
    });
    return `{${members.join(',')}}`;
  }

  #add(name: string, clientId: string | null, amount: number): void {
    const entry = this.#entries.get(name) ?? { clients: new Map(), unidentified: 0 };
    this.#entries.set(name, entry);
    if (clientId === null) entry.unidentified += amount;
    else if (this.method === 'multiple')
      entry.clients.set(clientId, (entry.clients.get(clientId) ?? 0) + amount);
    else entry.clients.set(clientId, 1);
  }

  #remove(name: string, clientId: string): void {
    const entry = this.#entries.get(name);
    if (entry?.clients.delete(clientId) !== true) return;
    if (entry.clients.size === 0 && entry.unidentified === 0) this.#entries.delete(name);
  }

  #read(stored: StoredSummary): void {
    if (this.method === 'total') this.#total = (stored as TotalSummary).total;
    else if (this.method === 'flag') this.#readEntry('', stored as EntrySummary);
    else for (const [name, entry] of Object.entries(stored as NamedSummary)) this.#readEntry(name, entry);
  }

  #readEntry(name: string, { clientIds = [], clientCounts = {}, totalUnidentified = 0 }: EntrySummary): void {
    const clients = new Map(clientIds.map((clientId) => [clientId, 1]));
    for (const [clientId, amount] of Object.entries(clientCounts)) clients.set(clientId, amount);
    if (clients.size > 0 || totalUnidentified > 0)
      this.#entries.set(name, { clients, unidentified: totalUnidentified });
  }
}

interface TotalSummary {
  readonly total: number;
}
interface EntrySummary {
  readonly clientIds?: readonly string[];
  readonly clientCounts?: Readonly<Record<string, number>>;
  readonly totalUnidentified?: number;
}
type NamedSummary = Readonly<Record<string, EntrySummary>>;
type StoredSummary = EntrySummary | NamedSummary | TotalSummary;

function listText(clients: ReadonlyMap<string, number>, maxClients: number): string {
  const kept = [...clients.keys()].sort(byBytes).slice(0, maxClients);
  const ids = kept.map((clientId) => JSON.stringify(clientId)).join(',');
  return `{"total":${clients.size},"clientIds":[${ids}],"clipped":${kept.length < clients.size}}`;
}

function countsText({ clients, unidentified }: Entry, maxClients: number): string {
  const kept = [...clients.keys()].sort(byBytes).slice(0, maxClients);
  const counts = kept.map((clientId) => `${JSON.stringify(clientId)}:${clients.get(clientId) ?? 0}`);
  const total = [...clients.values()].reduce((sum, amount) => sum + amount, unidentified);
  return (
    `{"total":${total},"clientCounts":{${counts.join(',')}},"totalUnidentified":${unidentified},` +
    `"clipped":${kept.length < clients.size},"totalClientIds":${clients.size}}`
  );
}

/** In the order of their UTF-8, without making it: lists of thousands are put in order with every annotation. */
function byBytes(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at += 1) {
    const [a, b] = [one.charCodeAt(at), other.charCodeAt(at)];
    if (a !== b) return rankOf(a) - rankOf(b);
  }
  return one.length - other.length;
}

/** Surrogates stand for what comes behind every other character. */
const rankOf = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);

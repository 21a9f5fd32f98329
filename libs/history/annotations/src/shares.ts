import { Order } from './order.js';

/** Amounts added under one name, by client and anonymously. The length of its text is available at no cost. */
export class Shares {
  readonly #amounts = new Map<string, number>();
  readonly #order = new Order();
  #unidentified = 0;
  #total = 0;
  /** Length of the client names as JSON, and of the digits of their amounts. */
  #nameBytes = 0;
  #digits = 0;
  /** Last requested text: an annotation changes one name of many. */
  #text: { readonly maxClients: number; readonly text: string } | null = null;
  readonly #bytesAt = new Map<number, number>();

  get clients(): number {
    return this.#amounts.size;
  }

  get isEmpty(): boolean {
    return this.#amounts.size === 0 && this.#unidentified === 0;
  }

  /** Null: anonymous. 0: none. */
  of(clientId: string | null): number {
    return clientId === null ? this.#unidentified : (this.#amounts.get(clientId) ?? 0);
  }

  set(clientId: string | null, amount: number): void {
    const before = this.of(clientId);
    this.#text = null;
    this.#bytesAt.clear();
    this.#total += amount - before;
    if (clientId === null) {
      this.#unidentified = amount;
      return;
    }
    if (before !== 0) this.#count(clientId, before, -1);
    if (amount !== 0) this.#count(clientId, amount, 1);
    if (before === 0 && amount !== 0) this.#order.add(clientId);
    if (before !== 0 && amount === 0) this.#order.remove(clientId);
    if (amount === 0) this.#amounts.delete(clientId);
    else this.#amounts.set(clientId, amount);
  }

  #count(clientId: string, amount: number, sign: 1 | -1): void {
    this.#nameBytes += sign * jsonBytes(clientId);
    this.#digits += sign * String(amount).length;
  }

  /** Bytes of the text with at most `maxClients` clients. */
  bytesAt(form: 'counts' | 'list', maxClients: number): number {
    const known = this.#bytesAt.get(maxClients);
    if (known !== undefined) return known;
    const text = form === 'list' ? this.#list(maxClients) : this.#counts(maxClients);
    const bytes = Buffer.byteLength(text);
    this.#bytesAt.set(maxClients, bytes);
    return bytes;
  }

  /** JSON list of at most `maxClients` clients. */
  listText(maxClients: number): string {
    return this.#remembered(maxClients, () => this.#list(maxClients));
  }

  /** JSON counts of at most `maxClients` clients. */
  countsText(maxClients: number): string {
    return this.#remembered(maxClients, () => this.#counts(maxClients));
  }

  #remembered(maxClients: number, make: () => string): string {
    if (this.#text?.maxClients !== maxClients) this.#text = { maxClients, text: make() };
    return this.#text.text;
  }

  #list(maxClients: number): string {
    const kept = this.#order.first(maxClients);
    return `{"total":${this.clients},"clientIds":${JSON.stringify(kept)},"clipped":${kept.length < this.clients}}`;
  }

  listBytes(): number {
    return this.#list(0).length + this.#bytesOfAll(0);
  }

  #counts(maxClients: number): string {
    const kept = this.#order.first(maxClients);
    const counts = kept.map((clientId) => `${JSON.stringify(clientId)}:${this.of(clientId)}`);
    return (
      `{"total":${this.#total},"clientCounts":{${counts.join(',')}},"totalUnidentified":${this.#unidentified},` +
      `"clipped":${kept.length < this.clients},"totalClientIds":${this.clients}}`
    );
  }

  countsBytes(): number {
    return this.#counts(0).length + this.#bytesOfAll(this.clients + this.#digits);
  }

  /** Bytes of a text with all clients beyond one with none: commas between them, and `false` instead of `true`. */
  #bytesOfAll(more: number): number {
    return this.clients === 0
      ? 0
      : this.#nameBytes + this.clients - 1 + 'false'.length - 'true'.length + more;
  }
}

export const jsonBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text));

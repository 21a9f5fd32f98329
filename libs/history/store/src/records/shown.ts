import { countFloor } from '../model/floor.js';
import type { Stream } from '../model/stream.js';
import type { PageQuery, Retained } from '../port.js';
import { type Entry, HistoryEntries } from './entries.js';
import type { Head } from './head.js';
import type { StreamReader } from './reader.js';

/** Members of the head, beside the stream, that lead to the visible rows. */
export type ShownBy = Pick<Head, 'firstShifted' | 'mixedTo'>;

const NOTHING: Retained = { oldest: null, newest: null, messages: 0, bytes: 0 };

/** The visible rows of a history at one moment. */
export class ShownHistory {
  readonly entries: HistoryEntries;
  readonly #mixedTo: number;

  constructor(
    reader: StreamReader,
    private readonly stream: Stream,
    private readonly nowMs: number,
    { firstShifted, mixedTo }: ShownBy,
  ) {
    const { streamKey, generation, address } = stream;
    this.entries = new HistoryEntries(reader, { streamKey, generation, kind: address.kind, firstShifted });
    this.#mixedTo = mixedTo;
  }

  /** The lowest history serial that purges and caps leave visible. */
  async floor(): Promise<number> {
    const floor = countFloor(this.stream);
    const { maxBytes, retainedBytes } = this.stream;
    if (maxBytes === null || retainedBytes <= maxBytes) return floor;
    const newest = await this.entries.last(floor, this.#head);
    if (newest === null) return floor;
    return this.entries.firstWhere(
      floor,
      this.#head,
      ({ sumBytes, size }) => newest.sumBytes - sumBytes + size <= maxBytes,
    );
  }

  /**
   * Counts the visible rows from their ends: running sums in the rows give the bytes between them. Where rows expire in
   * another order than that of their serials, they are read one by one.
   */
  async retained(): Promise<Retained> {
    const floor = await this.floor();
    const mixed: Entry[] = [];
    for await (const entry of this.entries.each(floor, this.#mixedTo))
      if (this.#isVisible(entry)) mixed.push(entry);
    const rest = await this.#ends(Math.max(floor, this.#mixedTo + 1), this.#head);
    const oldest = mixed[0] ?? rest?.oldest;
    const newest = rest?.newest ?? mixed.at(-1);
    if (oldest === undefined || newest === undefined) return NOTHING;
    return {
      oldest: edge(oldest),
      newest: edge(newest),
      messages: mixed.length + (rest === null ? 0 : rest.newest.serial - rest.oldest.serial + 1),
      bytes:
        mixed.reduce((sum, { size }) => sum + size, 0) +
        (rest === null ? 0 : rest.newest.sumBytes - rest.oldest.sumBytes + rest.oldest.size),
    };
  }

  /** Visible entries within the bounds of a page, in its order. */
  async page(query: Omit<PageQuery, 'nowMs' | 'stream'>): Promise<Entry[]> {
    let [from, to] = [await this.floor(), this.#head];
    from = Math.max(from, query.fromSerial ?? from);
    to = Math.min(to, query.toSerial ?? to);
    const { fromMs, toMs } = query;
    if (fromMs !== null) from = await this.entries.firstWhere(from, to, ({ atMs }) => atMs >= fromMs);
    if (toMs !== null) to = (await this.entries.firstWhere(from, to, ({ atMs }) => atMs > toMs)) - 1;
    const { newestFirst, limit } = query;
    return newestFirst ? this.#newest(from, to, limit) : this.#oldest(from, to, limit);
  }

  get #head(): number {
    return this.stream.nextHistorySerial - 1;
  }

  async #oldest(from: number, to: number, limit: number): Promise<Entry[]> {
    const found: Entry[] = [];
    const visible = await this.#firstVisible(from, to);
    for await (const entry of this.entries.each(visible, to, { atOnce: limit })) {
      if (found.length === limit) break;
      if (this.#isVisible(entry)) found.push(entry);
    }
    return found;
  }

  async #newest(from: number, to: number, limit: number): Promise<Entry[]> {
    const found: Entry[] = [];
    for await (const entry of this.entries.each(from, to, { reverse: true, atOnce: limit })) {
      if (found.length === limit) return found;
      if (this.#isVisible(entry)) found.push(entry);
      // All others above the mixed rows have expired as well.
      else if (entry.serial > this.#mixedTo)
        return [...found, ...(await this.#newest(from, Math.min(to, this.#mixedTo), limit - found.length))];
    }
    return found;
  }

  async #firstVisible(from: number, to: number): Promise<number> {
    for await (const entry of this.entries.each(from, Math.min(to, this.#mixedTo)))
      if (this.#isVisible(entry)) return entry.serial;
    return this.entries.firstWhere(Math.max(from, this.#mixedTo + 1), to, (entry) => this.#isVisible(entry));
  }

  /** The ends of rows that expire in the order of their serials. */
  async #ends(from: number, to: number): Promise<{ readonly oldest: Entry; readonly newest: Entry } | null> {
    const newest = await this.entries.last(from, to);
    if (newest === null || !this.#isVisible(newest)) return null;
    const first = await this.entries.firstWhere(from, newest.serial, (entry) => this.#isVisible(entry));
    const oldest = first === newest.serial ? newest : await this.entries.first(first, newest.serial);
    return { oldest: oldest ?? newest, newest };
  }

  #isVisible({ untilMs }: Entry): boolean {
    return untilMs > this.nowMs;
  }
}

const edge = ({ serial, atMs }: Entry): Retained['oldest'] => ({ serial, publishedAtMs: atMs });

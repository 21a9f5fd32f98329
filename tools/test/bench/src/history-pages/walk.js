// One walk through the whole history, page after page, with every row checked and every page timed.
import { readHistoryQuery } from '@carillon/history-reader';
import { BenchError } from '../../settings/bench-error.js';
import { APP_ID } from '../history/records.js';
import { CHANNEL, filledData } from './records.js';

/** Pages of a window; one of each is watched, and not timed. */
const WINDOW = 100;
/** After so many pages the first one is read again, to compare with: the machine has moods. */
const FIRST_AGAIN_EACH = 10;

/** @typedef {'oldest_first' | 'newest_first'} Direction */
/**
 * @typedef {object} Walk
 * @property {{ pageMs: number[], firstMs: number[] }[]} windows what pages took, and the first one meanwhile
 * @property {number[]} blocks of the first page, of one in each window, and of the last
 * @property {number} pages
 * @property {number} first the serial it began with
 * @property {number} last
 */
/**
 * @typedef {object} Parts
 * @property {import('@carillon/history-reader').HistoryReader} reader
 * @property {import('./buffers.js').Watched} watched
 * @property {ReadonlyMap<number, string>} written
 * @property {number} filled
 * @property {number} payloadBytes
 * @property {number} limit
 */

/** Whatever is not as it was written, or not where it belongs, ends the walk. */
class Rows {
  first = 0;
  last = 0;
  /** Read before their publisher had its answer. @type {Map<number, unknown>} */
  #early = new Map();

  /** @param {Parts} parts @param {Direction} direction */
  constructor({ written, filled, payloadBytes }, direction) {
    this.written = written;
    this.filled = filled;
    this.payloadBytes = payloadBytes;
    this.direction = direction;
    this.step = direction === 'oldest_first' ? 1 : -1;
  }

  /** @param {import('@carillon/history-reader').HistoryItemBody} item */
  check({ serial, message }) {
    if (this.last !== 0 && serial !== this.last + this.step)
      throw new BenchError(`${this.direction}: serial ${serial} after ${this.last}`);
    const shown = /** @type {{ data?: unknown, serial?: unknown }} */ (message);
    if (shown.serial !== serial) throw new BenchError(`${this.direction}: ${serial} without its place`);
    const expected = serial <= this.filled ? filledData(serial, this.payloadBytes) : this.written.get(serial);
    if (expected === undefined) this.#early.set(serial, shown.data);
    else this.#mustBe(serial, shown.data, expected);
    if (this.last === 0) this.first = serial;
    this.last = serial;
  }

  /** To be called once everything that was published is answered. */
  checkEarly() {
    for (const [serial, data] of this.#early) this.#mustBe(serial, data, this.written.get(serial));
  }

  /** @param {number} serial @param {unknown} data @param {string | undefined} expected */
  #mustBe(serial, data, expected) {
    if (data !== expected)
      throw new BenchError(`${this.direction}: serial ${serial} says ${String(data).slice(0, 40)}`);
  }
}

/** Retention may take the very rows that the last page of a walk towards them would show. @param {unknown} error */
const isOvertaken = (error) =>
  error instanceof Error && error.message.includes('before the retained history');

/** @param {() => Promise<unknown>} work */
async function timed(work) {
  const begunMs = performance.now();
  await work();
  return performance.now() - begunMs;
}

/**
 * @param {Parts} parts @param {Direction} direction
 * @returns {Promise<Walk & { checkEarly: () => void }>}
 */
export async function walk(parts, direction) {
  const { reader, watched, limit } = parts;
  const rows = new Rows(parts, direction);
  /** @type {Walk['windows']} */
  const windows = [];
  /** @type {number[]} */
  const blocks = [];
  /** @param {string | null} from @returns {Promise<import('@carillon/history-reader').HistoryPageBody>} */
  const read = (from) => {
    const query = { limit: String(limit), direction, ...(from === null ? {} : { cursor: from }) };
    return reader.page(APP_ID, CHANNEL, readHistoryQuery(query, limit));
  };
  /** @type {string | null} */
  let cursor = null;
  let pages = 0;
  do {
    /** @type {string | null} */
    const from = cursor;
    const begunMs = performance.now();
    const isWatched = pages === 0 || pages % WINDOW === WINDOW - 1;
    const window = (windows[Math.floor(pages / WINDOW)] ??= { pageMs: [], firstMs: [] });
    try {
      /** @type {import('@carillon/history-reader').HistoryPageBody} */
      const page = isWatched ? await watched.during(() => read(from)) : await read(from);
      if (isWatched) blocks.push(watched.blocks);
      else window.pageMs.push(performance.now() - begunMs);
      for (const item of page.items) rows.check(item);
      if (page.has_more && page.items.length !== limit)
        throw new BenchError(`${direction}: ${page.items.length} rows of a page of ${limit}`);
      cursor = page.next_cursor;
      if (pages % FIRST_AGAIN_EACH === 0) window.firstMs.push(await timed(() => read(null)));
      pages += 1;
    } catch (error) {
      if (direction !== 'newest_first' || !isOvertaken(error)) throw error;
      cursor = null;
    }
    if (cursor === null && from !== null && !isWatched) {
      // The last page once more: it is one of those that may cost more.
      await watched
        .during(() => read(from))
        .catch((/** @type {unknown} */ error) => {
          if (!isOvertaken(error)) throw error;
        });
      if (watched.blocks > 0) blocks.push(watched.blocks);
    }
  } while (cursor !== null);
  return { windows, blocks, pages, first: rows.first, last: rows.last, checkEarly: () => rows.checkEarly() };
}

import { type Changes, type DurableStore, type PurgeStep, streamName } from '@carillon/history-store';
import { HistoryReader, readHistoryQuery } from '../src/index.js';
import type { HistoryPageBody } from '../src/index.js';
import { NO_DESK } from './desks.js';
import { NOTHING, rowOf, wantedOf } from './rows.js';
import type { Opened } from './stores.js';

/** Retention of a row. */
export interface Retention {
  readonly windowMs: number;
  readonly maxMessages: number | null;
  readonly maxBytes: number | null;
}

const MINUTE_MS = 60_000;
/** Rows are published so far from each other. */
export const APART_MS = 1000;
const MIDNIGHT_MS = Date.parse('2026-03-06T00:00:00Z');
const WRITTEN_AT_ONCE = 1000;
/** Rows after which the day ends, beyond those before the first read. */
const LEFT_OF_THE_DAY = 40;

/** The message contains its serial; sizes vary. */
const messageOf = (serial: number): string =>
  JSON.stringify({ event: 'e', channel: 'orders', data: `${serial} ${'x'.repeat(200 + (serial % 50))}` });

/** Sum of the sizes of messages before a serial. */
const bytesBefore: number[] = [0, 0];

/** Sum of message sizes between two serials, inclusive. */
export function sumOf(from: number, to: number): number {
  for (let serial = bytesBefore.length - 1; serial <= to; serial += 1)
    bytesBefore.push((bytesBefore[serial] ?? 0) + messageOf(serial).length);
  return (bytesBefore[to + 1] ?? 0) - (bytesBefore[from] ?? 0);
}

/**
 * A long history that is written and purged while it is read. The newest row sets the time; midnight comes after a
 * number of rows, when the partition of the previous day is dropped.
 */
export class LongHistory {
  readonly store: DurableStore;
  readonly reader: HistoryReader;
  readonly #begunMs: number;
  head = 0;

  constructor(
    { store }: Opened,
    private readonly channel: string,
    private readonly retention: Retention,
    rows: number,
  ) {
    this.store = store;
    this.#begunMs = MIDNIGHT_MS - (rows + LEFT_OF_THE_DAY) * APART_MS;
    this.reader = new HistoryReader(
      { store, now: () => this.nowMs, faults: NO_DESK },
      { timeoutMs: 5000, source: 'durable_store' },
    );
  }

  get nowMs(): number {
    return this.#begunMs + this.head * APART_MS;
  }

  /** The lowest serial that can be read. */
  get oldest(): number {
    const { windowMs, maxMessages, maxBytes } = this.retention;
    let oldest = Math.max(1, this.head - Math.ceil(windowMs / APART_MS) + 1);
    if (maxMessages !== null) oldest = Math.max(oldest, this.head - maxMessages + 1);
    if (maxBytes === null) return oldest;
    while (sumOf(oldest, this.head) > maxBytes) oldest += 1;
    return oldest;
  }

  async write(rows: number): Promise<void> {
    for (const end = this.head + rows; this.head < end;)
      this.head += await this.#batch(Math.min(end - this.head, WRITTEN_AT_ONCE, this.#most));
  }

  page(direction: string, limit: number, cursor: string | null): Promise<HistoryPageBody> {
    const query = { direction, limit: String(limit), ...(cursor === null ? {} : { cursor }) };
    return this.reader.page('shop', this.channel, readHistoryQuery(query, limit));
  }

  /** One step of a purge that nothing is too young for. */
  async purge(batch: number): Promise<PurgeStep> {
    const step = await this.store.purge({ nowMs: this.nowMs, batch, receiptsKeptMs: 0, windowMs: MINUTE_MS });
    if (step === null) throw new Error('somebody else purges');
    return step;
  }

  async purgeAll(batch: number): Promise<void> {
    while ((await this.purge(batch)).more);
  }

  /** Records that the store takes in one batch, where that is fewer than usual. */
  get #most(): number {
    return this.store.limits.streams === 1 ? this.store.limits.records : WRITTEN_AT_ONCE;
  }

  async #batch(rows: number): Promise<number> {
    const address = { appId: 'shop', channel: this.channel, kind: 'messages' } as const;
    const { windowMs, maxMessages, maxBytes } = this.retention;
    const { changes } = await this.store.commit<{ readonly changes: Changes }>(
      wantedOf(address, this.nowMs),
      (found) => {
        const stream = found.streams.get(streamName(address));
        // A purge holds it.
        if (stream === null || stream === undefined) return { changes: NOTHING };
        const { nextHistorySerial } = stream;
        const records = Array.from({ length: rows }, (_, index) => {
          const serial = nextHistorySerial + index;
          const publishedAtMs = this.#begunMs + serial * APART_MS;
          return rowOf(stream, {
            deliverySerial: serial,
            historySerial: serial,
            publishedAtMs,
            untilMs: publishedAtMs + windowMs,
            messageId: `m-${serial}`,
            payload: messageOf(serial),
          });
        });
        const next = {
          ...stream,
          nextDeliverySerial: nextHistorySerial + rows,
          nextHistorySerial: nextHistorySerial + rows,
          retainedMessages: stream.retainedMessages + rows,
          retainedBytes:
            stream.retainedBytes + records.reduce((sum, { payloadSize }) => sum + payloadSize, 0),
          newestPublishedAtMs: records.at(-1)?.publishedAtMs ?? null,
          lastKeepDay: new Date(records.at(-1)?.keepUntilMs ?? 0).toISOString().slice(0, 10),
          maxMessages,
          maxBytes,
        };
        return { changes: { ...NOTHING, streams: [next], records } };
      },
    );
    return changes.records.length;
  }
}

/** Returns the serial contained in a message. */
export const serialIn = (message: unknown): number =>
  Number.parseInt((message as { readonly data: string }).data, 10);

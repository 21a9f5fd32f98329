import { randomUUID } from 'node:crypto';
import { type DurableStore, MemoryHistoryStore, type Stream, streamName } from '@carillon/history-store';
import { HistoryReader, type QueryParameters, readHistoryQuery } from '../src/index.js';
import { ListeningDesk } from './desks.js';
import { NOTHING, rowOf, wantedOf } from './rows.js';

const DAY_MS = 86_400_000;

/** A channel with a history in memory. */
export class Scene {
  readonly store: DurableStore = new MemoryHistoryStore();
  readonly desk = new ListeningDesk();
  nowMs = Date.parse('2026-03-05T10:30:00Z');
  readonly reader = new HistoryReader(
    { store: this.store, now: () => this.nowMs, faults: this.desk },
    { timeoutMs: 1000, source: 'in_memory' },
  );

  page(parameters: QueryParameters = {}, channel = 'orders') {
    return this.reader.page('shop', channel, readHistoryQuery(parameters, 50));
  }

  /** The serials of every page of a walk. */
  async walk(parameters: QueryParameters): Promise<number[][]> {
    const pages: number[][] = [];
    let cursor: string | null | undefined;
    do {
      const page = await this.page(typeof cursor !== 'string' ? parameters : { ...parameters, cursor });
      pages.push(page.items.map(({ serial }) => serial));
      cursor = page.next_cursor;
    } while (cursor !== null);
    return pages;
  }

  /** Appends rows, and changes the stream. */
  async write(
    rows: number,
    change: Partial<Stream> = {},
    payload = '{"event":"e","channel":"orders"}',
  ): Promise<void> {
    const address = { appId: 'shop', channel: 'orders', kind: 'messages' } as const;
    await this.store.commit(wantedOf(address, this.nowMs), (found) => {
      const stream = found.streams.get(streamName(address));
      if (stream === null || stream === undefined) throw new Error('no stream');
      const { nextHistorySerial, nextDeliverySerial } = stream;
      const records = Array.from({ length: rows }, (_, index) =>
        rowOf(stream, {
          deliverySerial: nextDeliverySerial + index,
          historySerial: nextHistorySerial + index,
          publishedAtMs: this.nowMs,
          untilMs: this.nowMs + DAY_MS,
          messageId: randomUUID(),
          payload,
        }),
      );
      const next = {
        ...stream,
        nextDeliverySerial: nextDeliverySerial + rows,
        nextHistorySerial: nextHistorySerial + rows,
        retainedMessages: stream.retainedMessages + rows,
        retainedBytes: stream.retainedBytes + rows * payload.length,
        ...change,
      };
      return { changes: { ...NOTHING, streams: [next], records } };
    });
  }
}

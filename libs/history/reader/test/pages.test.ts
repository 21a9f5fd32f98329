import { MemoryHistoryStore, StoreFailure } from '@carillon/history-store';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HistoryReader, readHistoryQuery } from '../src/index.js';
import { NO_DESK } from './desks.js';
import { Scene } from './scene.js';

const INVALID = { code: 'invalid_input' };

describe('a page of history', () => {
  it('of a channel that was never written is empty and complete', async () => {
    const scene = new Scene();
    expect(await scene.page()).toEqual({
      items: [],
      direction: 'newest_first',
      limit: 50,
      has_more: false,
      next_cursor: null,
      bounds: { start_serial: null, end_serial: null, start_time_ms: null, end_time_ms: null },
      continuity: {
        stream_id: null,
        retained_messages: 0,
        retained_bytes: 0,
        oldest_available_serial: null,
        newest_available_serial: null,
        oldest_available_published_at_ms: null,
        newest_available_published_at_ms: null,
        complete: true,
        truncated_by_retention: false,
      },
      stream_state: {
        stream_id: null,
        durable_state: 'healthy',
        recovery_allowed: true,
        reset_required: false,
        reason: null,
        node_id: null,
        last_transition_at_ms: null,
        authoritative_source: 'in_memory',
        observed_source: 'in_memory',
      },
    });
  });

  it('shows the frame with its position', async () => {
    const scene = new Scene();
    await scene.write(3);
    const page = await scene.page({ direction: 'Oldest_First' });
    const streamId = page.continuity.stream_id;
    expect(page.items.map(({ serial }) => serial)).toEqual([1, 2, 3]);
    expect(page.items[2]).toMatchObject({
      stream_id: streamId,
      event_name: 'e',
      operation_kind: 'append',
      payload_size_bytes: 32,
      message: { event: 'e', channel: 'orders', stream_id: streamId, serial: 3 },
    });
    expect(page.continuity).toMatchObject({ retained_messages: 3, retained_bytes: 96, complete: true });
  });

  it('walks 5 rows by 2 as 5,4 / 3,2 / 1, whatever is published meanwhile', async () => {
    const scene = new Scene();
    await scene.write(5);
    const first = await scene.page({ limit: '2' });
    await scene.write(1);
    const second = await scene.page({ limit: '2', cursor: first.next_cursor ?? '' });
    const third = await scene.page({ limit: '2', cursor: second.next_cursor ?? '' });
    expect([first, second, third].map(({ items }) => items.map(({ serial }) => serial))).toEqual([
      [5, 4],
      [3, 2],
      [1],
    ]);
    expect(third).toMatchObject({ has_more: false, next_cursor: null });
    expect((await scene.walk({ limit: '4', direction: 'forward' })).flat()).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('walked in both directions is the same set, for any bounds', async () => {
    const serial = fc.option(fc.integer({ min: 1, max: 25 }));
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 20 }),
        fc.integer({ min: 1, max: 7 }),
        serial,
        serial,
        async (rows, limit, one, other) => {
          const scene = new Scene();
          await scene.write(rows);
          const [start, end] = one !== null && other !== null && one > other ? [other, one] : [one, other];
          const parameters = {
            limit: String(limit),
            ...(start === null ? {} : { start_serial: String(start) }),
            ...(end === null ? {} : { end_serial: String(end) }),
          };
          const expected = Array.from({ length: rows }, (_, index) => index + 1).filter(
            (number) => number >= (start ?? 1) && number <= (end ?? rows),
          );
          const newest = await scene.walk({ ...parameters, direction: 'reverse' });
          const oldest = await scene.walk({ ...parameters, direction: 'forwards' });
          expect(oldest.flat()).toEqual(expected);
          expect(newest.flat()).toEqual(expected.toReversed());
        },
      ),
      { numRuns: 60 },
    );
  });

  it('says what retention has taken away', async () => {
    const scene = new Scene();
    await scene.write(5, { maxMessages: 3 });
    const page = await scene.page();
    expect(page.items.map(({ serial }) => serial)).toEqual([5, 4, 3]);
    expect(page.continuity).toMatchObject({
      truncated_by_retention: true,
      complete: false,
      oldest_available_serial: 3,
      retained_messages: 3,
    });
    const flags = async (parameters: Record<string, string>) =>
      (await scene.page(parameters)).continuity.truncated_by_retention;
    expect(await flags({ start_serial: '3' })).toBe(false);
    expect(await flags({ start_serial: '2' })).toBe(true);
    expect(await flags({ start_time_ms: String(scene.nowMs) })).toBe(false);
    expect(await flags({ start: String(scene.nowMs - 1) })).toBe(true);
    scene.nowMs += 86_400_000;
    expect((await scene.page()).continuity).toMatchObject({
      truncated_by_retention: true,
      oldest_available_serial: null,
    });
  });

  it.each([
    { limit: '0' },
    { limit: 'abc' },
    { limit: '-1' },
    { limit: '1e3' },
    { direction: 'sideways' },
    { start_serial: '9', end_serial: '3' },
    { start: '9', end_time_ms: '3' },
    { end_serial: '99999999999999999' },
    { cursor: 'x'.repeat(16_385) },
    { cursor: 'not a cursor' },
    { cursor: Buffer.from('[]').toString('base64url') },
    { cursor: Buffer.from('{"version":2}').toString('base64url') },
  ])('is refused with %o', async (parameters) => {
    const scene = new Scene();
    await scene.write(1);
    await expect((async () => scene.page(parameters))()).rejects.toMatchObject(INVALID);
  });

  it('lowers a limit that is too high', () => {
    expect(readHistoryQuery({ limit: '100000' }, 50).limit).toBe(50);
  });

  it('takes a cursor for its own walk only', async () => {
    const scene = new Scene();
    await scene.write(5);
    const cursor = (await scene.page({ limit: '2' })).next_cursor ?? '';
    const again = (parameters: Record<string, string>, channel?: string) =>
      scene.page({ cursor, ...parameters }, channel);
    expect((await again({ limit: '3' })).items.map(({ serial }) => serial)).toEqual([3, 2, 1]);
    await expect(again({ direction: 'oldest_first' })).rejects.toMatchObject(INVALID);
    await expect(again({ end_serial: '4' })).rejects.toMatchObject(INVALID);
    await expect(again({}, 'other')).rejects.toMatchObject(INVALID);
    const fields = { ...JSON.parse(Buffer.from(cursor, 'base64url').toString()), version: 2 };
    const newer = Buffer.from(JSON.stringify(fields)).toString('base64url');
    await expect(scene.page({ cursor: newer })).rejects.toMatchObject({ message: /version/ });
    await scene.write(0, { floorHistorySerial: 5 });
    await expect(again({})).rejects.toMatchObject({ message: /retained/ });
    await scene.write(0, { streamId: '00000000-0000-4000-8000-000000000000', floorHistorySerial: 1 });
    await expect(again({})).rejects.toMatchObject({ message: /stream changed/ });
  });

  it('is not given when it could not be whole', async () => {
    const scene = new Scene();
    await scene.write(2);
    const durable = {
      state: 'reset_required',
      reason: 'history_serial_gap',
      nodeId: 'n',
      changedAtMs: 5,
    } as const;
    await scene.write(0, { durable });
    await expect(scene.page()).rejects.toMatchObject({
      code: 'service_unavailable',
      message: /history_serial_gap/,
    });
    expect(await scene.reader.state('shop', 'orders')).toMatchObject({
      next_serial: 3,
      retained: { retained_messages: 2 },
      state: { durable_state: 'reset_required', recovery_allowed: false, reset_required: true, node_id: 'n' },
    });
    const torn = new Scene();
    await torn.write(1);
    await torn.write(1, {}, '{"event":');
    await expect(torn.page()).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(torn.desk.found).toEqual([{ reason: 'history_row_unreadable', fromSerial: 2, toSerial: 2 }]);
  });

  it('is unavailable when the store is, or says nothing', async () => {
    class Broken extends MemoryHistoryStore {
      constructor(private readonly answer: () => Promise<never>) {
        super();
      }
      override heads = () => this.answer();
    }
    const pageOf = (answer: () => Promise<never>) =>
      new HistoryReader(
        { store: new Broken(answer), now: () => 0, faults: NO_DESK },
        { timeoutMs: 20, source: 'durable_store' },
      ).page('shop', 'orders', readHistoryQuery({}, 50));
    const unavailable = { code: 'service_unavailable' };
    await expect(pageOf(() => Promise.reject(new StoreFailure('connection', 'no')))).rejects.toMatchObject(
      unavailable,
    );
    await expect(pageOf(() => new Promise(() => {}))).rejects.toMatchObject(unavailable);
  });
});

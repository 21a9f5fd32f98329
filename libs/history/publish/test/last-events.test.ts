import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StoredLastEvents } from '../src/index.js';
import { writeRecord } from '../src/stored-record.js';
import { message, TestCache } from './scene.js';

const NAME = 'app:shop:channel:cache-a:last_event';
const WHOLE = { v: 1, kind: 'last_event', message_id: 'm', event: 'e', channel: 'cache-a', data: '{}' };

function stored(value?: string, ttlMs: number | null = 1500) {
  const cache = new TestCache();
  if (value !== undefined) cache.entries.set(NAME, { value, ttlMs });
  return { cache, lastEvents: new StoredLastEvents({ cache, ttlMs: 60_000, maxRecordBytes: 2000 }) };
}

const read = (value?: string, ttlMs?: number | null) =>
  stored(value, ttlMs).lastEvents.read('shop', 'cache-a');

describe('the last event', () => {
  it('is read exactly as it was kept', async () => {
    const names = fc.string({ unit: 'binary', minLength: 1, maxLength: 50 });
    const data = fc.oneof(
      fc.json({ maxDepth: 2 }),
      fc.string({ unit: 'binary', maxLength: 50 }).map((text) => JSON.stringify(text)),
      fc.constantFrom('null', ' {"a" : 1.0, "data":[ ] }\n', '12345678901234567890.10', '"\\u0041\\/"'),
    );
    const bag = fc.option(fc.dictionary(names, names).map((value) => JSON.stringify(value)));
    const event = fc
      .record({
        messageId: names,
        event: names,
        channel: names,
        dataText: data,
        tagsText: bag,
        extrasText: bag,
        position: fc.option(fc.record({ streamId: fc.constant('s'), serial: fc.integer({ min: 1 }) })),
      })
      .map(({ position, ...more }) => message({ ...more, ...position }));
    await fc.assert(
      fc.asyncProperty(event, async (kept) => {
        fc.pre(Buffer.byteLength(writeRecord(kept)) < 2000);
        const { lastEvents } = stored();
        await lastEvents.keep('shop', kept);
        const { ttlMs, ...found } = (await lastEvents.read('shop', kept.channel)) ?? { ttlMs: 0 };
        // Text around a value belongs to no value.
        expect({ ...found, ttlMs }).toEqual({ ...kept, dataText: kept.dataText?.trim(), ttlMs: 60_000 });
      }),
    );
  });

  it('comes with the time that is left of it', async () => {
    expect(await read(JSON.stringify(WHOLE))).toEqual({
      ...message({ dataText: '"{}"' }),
      ttlMs: 1500,
    });
    expect(await read(JSON.stringify(WHOLE), null)).toMatchObject({ ttlMs: 60_000 });
  });

  it('is another one for another app or channel', async () => {
    const { lastEvents } = stored();
    await lastEvents.keep('shop', message());
    expect(await lastEvents.read('other', 'cache-a')).toBeNull();
    expect(await lastEvents.read('shop', 'cache-b')).toBeNull();
  });

  it.each([
    ['absent', undefined],
    ['no JSON', '{"v":1,"kind":"last_event"'],
    ['empty', ''],
    ['not an object', '"x"'],
    ['of a later version', JSON.stringify({ ...WHOLE, v: 2 })],
    ['something else', JSON.stringify({ ...WHOLE, kind: 'receipt' })],
    ['without an id', JSON.stringify({ ...WHOLE, message_id: undefined })],
    ['with a wrong name', JSON.stringify({ ...WHOLE, event: 7 })],
    ['without data', JSON.stringify({ ...WHOLE, data: undefined })],
    ['of another channel', JSON.stringify({ ...WHOLE, channel: 'cache-b' })],
    ['over the cap', JSON.stringify({ ...WHOLE, data: 'é'.repeat(1000) })],
  ])('is none when the record is %s', async (_, value) => {
    expect(await read(value)).toBeNull();
  });

  it('is taken away when that is so of it, unless another has come meanwhile', async () => {
    const { lastEvents } = stored();
    const texts = async () => (await lastEvents.read('shop', 'cache-a'))?.dataText;
    await lastEvents.keep('shop', message({ dataText: '1' }));
    await lastEvents.forgetIf('shop', 'cache-a', async () => false);
    expect(await texts()).toBe('1');
    await lastEvents.forgetIf('shop', 'cache-a', async () => {
      await lastEvents.keep('shop', message({ dataText: '2' }));
      return true;
    });
    expect(await texts()).toBe('2');
    await lastEvents.forgetIf('shop', 'cache-a', async ({ dataText }) => dataText === '2');
    expect(await texts()).toBeUndefined();
  });

  it('is told apart from a store out of reach', async () => {
    const { cache, lastEvents } = stored();
    const reason = new Error('out of reach');
    cache.before = () => Promise.reject(reason);
    await expect(lastEvents.read('shop', 'cache-a')).rejects.toBe(reason);
  });
});

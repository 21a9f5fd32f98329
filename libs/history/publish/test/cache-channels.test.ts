import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRecord } from '../src/stored-record.js';
import { last, namesOf, publish, scene } from './scene.js';

const nameOf = (record: string | undefined): string | undefined => readRecord(record ?? '', 100_000)?.event;

/** A store whose writes complete one at a time, on request. */
function heldBack(cache: ReturnType<typeof scene>['cache']) {
  const held: (() => void)[] = [];
  cache.before = () => new Promise((resolve) => held.push(resolve));
  const endOne = async (): Promise<void> => {
    held.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { held, endOne };
}

describe('an event of a cache channel', () => {
  it('is stored, then sent', async () => {
    const { publisher, lastEvents, cache, delivered } = scene();
    const { endOne } = heldBack(cache);
    const receipt = publisher.publish(last('tick', { messageId: 'm1', dataText: '"{\\"n\\":5}"' }));
    expect([cache.stored.length, delivered.length]).toEqual([0, 0]);
    await endOne();
    expect(await receipt).toEqual({ messageId: 'm1' });
    expect(namesOf(delivered)).toEqual(['tick']);
    cache.before = () => Promise.resolve();
    expect(await lastEvents.read('shop', 'cache-prices')).toEqual({
      ...delivered[0]?.fact,
      messageId: 'm1',
      event: 'tick',
      channel: 'cache-prices',
      dataText: '"{\\"n\\":5}"',
      ttlMs: 3_600_000,
    });
  });

  it('is stored under the id it is sent with', async () => {
    const { publisher, lastEvents, delivered } = scene();
    const receipt = await publisher.publish(last('tick'));
    expect(delivered[0]?.eventId).toBe(receipt.messageId);
    expect((await lastEvents.read('shop', 'cache-prices'))?.messageId).toBe(receipt.messageId);
  });

  it('starts its time in the store anew', async () => {
    const { publisher, cache } = scene();
    await publisher.publish(last('m1'));
    const [name = ''] = cache.entries.keys();
    cache.entries.set(name, { value: cache.entries.get(name)?.value ?? '', ttlMs: 5 });
    await publisher.publish(last('m2'));
    expect(cache.entries.get(name)?.ttlMs).toBe(3_600_000);
    expect(name).toBe('app:shop:channel:cache-prices:last_event');
  });

  it('is sent though it cannot be stored, and that is logged', async () => {
    const { publisher, cache, delivered, lines } = scene();
    cache.before = () => Promise.reject(new Error('out of reach'));
    expect(await publisher.publish(last('e1', { messageId: 'm1' }))).toEqual({ messageId: 'm1' });
    expect(namesOf(delivered)).toEqual(['e1']);
    expect(lines).toEqual(['last event not stored']);
  });

  it('is stored and sent in the order of the calls, however slow the store; channels do not wait for each other', async () => {
    const names = fc.array(fc.constantFrom('cache-a', 'cache-b', 'cache-c'), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(names, fc.scheduler(), async (channels, scheduler) => {
        const { publisher, cache, delivered } = scene();
        cache.before = () => scheduler.schedule(Promise.resolve());
        const done = channels.map((channel, at) => publish(publisher, last(`${at}`, { channel })));
        expect(scheduler.count()).toBe(new Set(channels).size);
        await scheduler.waitFor(Promise.all(done));
        for (const channel of new Set(channels)) {
          const published = channels.flatMap((name, at) => (name === channel ? [`${at}`] : []));
          const sent = namesOf(delivered.filter((one) => one.channel === channel));
          const kept = cache.stored
            .filter((one) => readRecord(one, 100_000)?.channel === channel)
            .map(nameOf);
          expect({ sent, kept }).toEqual({ sent: published, kept: published });
        }
      }),
    );
  });

  it('is never in the store before all earlier ones have been sent', async () => {
    const { publisher, cache, delivered } = scene();
    const before: { readonly storing: string | undefined; readonly sent: unknown[] }[] = [];
    cache.before = async (value) => {
      await new Promise((resolve) => setImmediate(resolve));
      before.push({ storing: nameOf(value), sent: namesOf(delivered) });
    };
    const ids = Array.from({ length: 20 }, (_, at) => `${at}`);
    await Promise.all(ids.map((id) => publish(publisher, last(id))));
    expect(before).toEqual(ids.map((storing, at) => ({ storing, sent: ids.slice(0, at) })));
  });
});

describe('while the store fails', () => {
  it('a long line does not wait for each failure, and the newest is tried', async () => {
    const { publisher, cache, delivered } = scene();
    const tried: (string | undefined)[] = [];
    cache.before = async (value) => {
      tried.push(nameOf(value));
      await new Promise((resolve) => setImmediate(resolve));
      throw new Error('out of reach');
    };
    await Promise.all(Array.from({ length: 100 }, (_, at) => publish(publisher, last(`${at}`))));
    expect(tried).toEqual(['0', '99']);
    expect(namesOf(delivered)).toEqual(Array.from({ length: 100 }, (_, at) => `${at}`));
  });

  it('every event is stored again once one could be', async () => {
    const { publisher, cache } = scene();
    cache.before = () => Promise.reject(new Error('out of reach'));
    await publisher.publish(last('lost'));
    cache.before = () => Promise.resolve();
    await Promise.all([publish(publisher, last('1')), publish(publisher, last('2'))]);
    expect(cache.stored.map(nameOf)).toEqual(['1', '2']);
  });
});

describe('too many events that wait', () => {
  it('are refused beyond 4096 of a channel, and let in again when it drains', async () => {
    const { publisher, cache, delivered } = scene();
    const { held, endOne } = heldBack(cache);
    const waiting = Array.from({ length: 4097 }, (_, at) => publish(publisher, last(`${at}`)));
    await expect(publisher.publish(last('refused'))).rejects.toMatchObject({
      code: 'backpressure',
      status: 503,
    });
    void publisher.publish(last('elsewhere', { channel: 'cache-other' }));
    expect(held).toHaveLength(2);
    await endOne();
    const late = publish(publisher, last('late'));
    cache.before = () => Promise.resolve();
    while (held.length > 0) await endOne();
    await Promise.all([...waiting, late]);
    const sent = namesOf(delivered.filter(({ channel }) => channel === 'cache-prices'));
    expect(sent).toEqual([...Array.from({ length: 4097 }, (_, at) => `${at}`), 'late']);
  });

  it('are refused beyond the bound of all channels, and let in again when one has ended', async () => {
    const { publisher, cache, delivered } = scene({ bounds: { maxWaitingPerChannel: 10, maxUnderWay: 3 } });
    const { endOne } = heldBack(cache);
    const publishTo = (name: string) => publish(publisher, last(name, { channel: `cache-${name}` }));
    const waiting = ['a', 'b', 'c'].map(publishTo);
    await expect(publishTo('d')).rejects.toMatchObject({ code: 'backpressure' });
    await endOne();
    waiting.push(publishTo('e'));
    await expect(publishTo('f')).rejects.toMatchObject({ code: 'backpressure' });
    for (const _ of waiting) await endOne();
    await Promise.all(waiting);
    expect(namesOf(delivered)).toEqual(['a', 'b', 'c', 'e']);
  });
});

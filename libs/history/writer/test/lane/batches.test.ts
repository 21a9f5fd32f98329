import { streamName } from '@carillon/history-store';
import { describe, expect, it } from 'vitest';
import { settled } from '../manual-clock.js';
import { keyed, publishOf, purgeOf, resetOf } from '../samples.js';
import { Gate, LaneScene } from './scene.js';

const key = (content: string) => ({ idem: keyed('a', 'k', content) });

describe('a lane', () => {
  it('commits together what arrived during the last commit', async () => {
    const scene = new LaneScene();
    const gate = new Gate();
    scene.store.fault = { after: () => gate.opened };
    const first = scene.results([publishOf('a', '0')]);
    await settled();
    const rest = Array.from({ length: 10 }, (_, n) => scene.results([publishOf('a', String(n))]));
    await settled();
    gate.open();
    const results = (await Promise.all([first, ...rest])).flat();
    expect(results.map((result) => result.delivery_serial)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(scene.batches).toEqual([1, 10]);
    expect(scene.serials('a')).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });

  it('takes no more than 500 records or 512 KiB at once', async () => {
    const scene = new LaneScene();
    await scene.results(Array.from({ length: 1201 }, (_, n) => publishOf('a', String(n))));
    expect(scene.batches).toEqual([500, 500, 201]);
    const large = new LaneScene();
    await large.results(Array.from({ length: 4 }, () => publishOf('a', 'x'.repeat(200_000))));
    expect(large.batches).toEqual([2, 2]);
    await large.results([publishOf('a', 'x'.repeat(900_000))]);
    expect(large.batches).toEqual([2, 2, 1]);
  });

  it('refuses a request that does not fit its queue, and takes its own records twice', async () => {
    const scene = new LaneScene(3);
    const gate = new Gate();
    scene.store.fault = { before: () => gate.opened };
    const running = scene.submit([publishOf('a', '0')]);
    await settled();
    const records = ['1', '2', '3'].map((data) => publishOf('a', data));
    const queued = scene.submit(records);
    expect(await scene.submit([publishOf('a', '4')])).toEqual({ kind: 'refused', code: 'backpressure' });
    const again = scene.submit(records);
    gate.open();
    expect(await again).toEqual(await queued);
    await running;
    expect((await scene.results([publishOf('a', '5')]))[0]).toMatchObject({ delivery_serial: 5 });
  });

  it('answers a request that comes again from memory, and after that from the receipt', async () => {
    const scene = new LaneScene();
    const records = [publishOf('a', '1'), publishOf('b', '2')];
    const first = await scene.results(records);
    expect(await scene.results(records)).toEqual(first);
    expect(scene.batches).toEqual([2]);
    await scene.clock.pass(20_001);
    expect(await scene.results(records)).toMatchObject(first.map((result) => ({ ...result, extra: null })));
    expect(scene.batches).toEqual([2, 2]);
    expect(scene.serials('a')).toEqual([1]);
  });

  it('begins nothing for a record whose time is over', async () => {
    const scene = new LaneScene();
    const gate = new Gate();
    scene.store.fault = { before: () => gate.opened };
    const running = scene.results([publishOf('a', '1')]);
    await settled();
    const late = scene.submit([publishOf('a', '2')], { budgetMs: 100 });
    const good = scene.results([publishOf('a', '3')]);
    await scene.clock.pass(101);
    gate.open();
    expect(await late).toMatchObject({ results: [{ status: 'expired' }] });
    expect((await running)[0]).toMatchObject({ delivery_serial: 1 });
    expect((await good)[0]).toMatchObject({ delivery_serial: 2 });
  });

  it('lets others pass while a stream is held, and keeps the order of those that wait', async () => {
    const scene = new LaneScene();
    const name = streamName({ appId: 'shop', channel: 'held', kind: 'messages' });
    scene.store.fault = { held: new Set([name]) };
    const held = scene.results([publishOf('held', '1')]);
    const free = await scene.results([publishOf('free', '1')]);
    expect(free[0]).toMatchObject({ status: 'applied' });
    const later = scene.results([publishOf('held', '2')]);
    await scene.clock.pass(45);
    scene.store.fault = {};
    await scene.clock.pass(20);
    expect((await held)[0]).toMatchObject({ delivery_serial: 1 });
    expect((await later)[0]).toMatchObject({ delivery_serial: 2 });
    expect(scene.batches.length).toBeLessThan(8);
  });

  it('skips the rest of a chain, whichever way a record of it is refused', async () => {
    const scene = new LaneScene();
    await scene.results([publishOf('a', '0', key('0'))]);
    const statuses = async (records: Parameters<LaneScene['results']>[0]) =>
      (await scene.results(records, { chain: true })).map(({ status }) => status);
    expect(await statuses([publishOf('a', '1'), publishOf('a', '2', key('2')), publishOf('b', '3')])).toEqual(
      ['applied', 'rejected', 'skipped'],
    );
    const unreadable = publishOf('a', '', { message: 'no frame' });
    expect(await statuses([publishOf('a', '4'), unreadable, publishOf('a', '5')])).toEqual([
      'applied',
      'rejected',
      'skipped',
    ]);
    expect(await statuses([purgeOf('a', { mode: 'all' }), publishOf('a', '6'), resetOf('a')])).toEqual([
      'applied',
      'applied',
      'applied',
    ]);
  });

  it('finishes what is queued when it is closed', async () => {
    const scene = new LaneScene();
    const gate = new Gate();
    scene.store.fault = { before: () => gate.opened };
    const answers = [scene.results([publishOf('a', '1')]), scene.results([publishOf('a', '2')])];
    await settled();
    const closed = scene.lane.close();
    expect(await scene.submit([publishOf('a', '3')])).toEqual({ kind: 'no_responder' });
    gate.open();
    await closed;
    expect((await Promise.all(answers)).flat()).toMatchObject([{ status: 'applied' }, { status: 'applied' }]);
    const [stream] = (await scene.store.heads([{ appId: 'shop', channel: 'a', kind: 'messages' }])).values();
    expect(stream).toMatchObject({ nextDeliverySerial: 3, fannedOutSerial: 2 });
  });
});

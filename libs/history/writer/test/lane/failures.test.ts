import { type Changes, StoreFailure } from '@carillon/history-store';
import { describe, expect, it } from 'vitest';
import { publishOf } from '../samples.js';
import { LaneScene, lostAnswers } from './scene.js';

describe('a lane whose store fails', () => {
  it('tries again while there is time, and consumes nothing meanwhile', async () => {
    const scene = new LaneScene();
    let failing = 3;
    scene.store.fault = {
      before: () => {
        if (failing-- > 0) throw new StoreFailure('deadlock', 'no');
      },
    };
    const results = scene.results([publishOf('a', '1')]);
    await scene.clock.pass(100 + 200 + 400);
    expect(await results).toMatchObject([{ status: 'applied', delivery_serial: 1 }]);
    expect(scene.retries).toEqual(['deadlock', 'deadlock', 'deadlock']);
  });

  it('answers what ran out of time, and serves the next when the store is back', async () => {
    const scene = new LaneScene();
    scene.store.fault = {
      before: () => {
        throw new StoreFailure('connection', 'no');
      },
    };
    const results = scene.results([publishOf('a', '1')]);
    await scene.clock.pass(7000);
    expect(await results).toMatchObject([{ status: 'expired' }]);
    scene.store.fault = {};
    expect(await scene.results([publishOf('a', '2')])).toMatchObject([{ delivery_serial: 1 }]);
  });

  it('finds by receipts that a commit without an answer was one', async () => {
    const scene = new LaneScene();
    scene.store.fault = { after: lostAnswers(1) };
    const results = scene.results([publishOf('a', '1'), publishOf('a', '2')]);
    await scene.clock.pass(100);
    expect(await results).toMatchObject([
      { status: 'applied', delivery_serial: 1, history_serial: 1 },
      { status: 'applied', delivery_serial: 2, history_serial: 2 },
    ]);
    expect(scene.serials('a')).toEqual([1, 2]);
    expect(await scene.results([publishOf('a', '3')])).toMatchObject([{ delivery_serial: 3 }]);
  });

  it('fails only the record that the store takes amiss', async () => {
    const scene = new LaneScene();
    const bad = publishOf('a', 'bad');
    scene.store.fault = {
      before: (_wanted, changes: Changes | null) => {
        if (changes?.records.some(({ messageId }) => messageId === bad.message_id) === true)
          throw new StoreFailure('data', 'it does not fit');
      },
    };
    const records = Array.from({ length: 5 }, (_, n) => (n === 2 ? bad : publishOf('a', String(n))));
    const results = await scene.results(records);
    expect(results.map(({ status, code, delivery_serial: serial }) => [status, code, serial])).toEqual([
      ['applied', undefined, 1],
      ['applied', undefined, 2],
      ['rejected', 'internal_error', undefined],
      ['applied', undefined, 3],
      ['applied', undefined, 4],
    ]);
    expect(scene.failures).toHaveLength(1);
    expect(scene.serials('a')).toEqual([1, 2, 3, 4]);
  });
});

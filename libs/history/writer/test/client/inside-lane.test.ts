import { randomUUID } from 'node:crypto';
import type { FanOutRecordBody } from '@carillon/contracts';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CommitClient, LocalLanes } from '../../src/index.js';
import { FaultyStore, Gate } from '../lane/scene.js';
import { ManualClock, settled } from '../manual-clock.js';
import { keyed, publishOf } from '../samples.js';
import { SILENT_EVENTS } from '../silent-events.js';
import { ids, waiting } from './scene.js';

const key = (content: string) => ({ idem: keyed('a', 'k', content) });

/** A publisher in the process that has all lanes for good. */
function world() {
  const store = new FaultyStore();
  const clock = new ManualClock();
  const sent: FanOutRecordBody[] = [];
  const fanOut = async (records: readonly FanOutRecordBody[]): Promise<void> => void sent.push(...records);
  const lanes = new LocalLanes(
    { store, clock, newStreamId: randomUUID, fanOut, events: SILENT_EVENTS },
    { lanes: 2, writerId: 'w', nodeId: 'n', queueCapacity: 4096 },
  );
  const ended: string[] = [];
  const client = new CommitClient(
    {
      clock,
      transport: lanes,
      random: () => 0,
      resent: () => ended.push('resent'),
      ended: (result) => ended.push(result),
    },
    { lanes: 2, nodeId: 'n', budgetMs: 5000, maxRecordBytes: null },
  );
  return { store, clock, sent, lanes, client, ended };
}

describe('a publisher with all lanes in its own process', () => {
  it('gets every record committed once and in its own order', async () => {
    const calls = fc.array(fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 6 }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(calls, async (channelsOfCalls) => {
        const { client, sent, ended } = world();
        const all = channelsOfCalls.map((channels) => channels.map((one) => publishOf(`c${one}`, 'x')));
        const results = (await Promise.all(all.map((records) => client.commit(records)))).flat();
        expect(ids(results)).toEqual(ids(all.flat()));
        for (const channel of ['c0', 'c1', 'c2']) {
          const own = ids(all.flat().filter((record) => record.channel === channel));
          const serials = own.map((id) => results.find(({ pub_id: pubId }) => pubId === id)?.delivery_serial);
          expect(serials).toEqual(own.map((_, index) => index + 1));
          const seen = sent.filter((record) => record.channel === channel);
          expect(seen.map(({ serial }) => serial)).toEqual(serials);
        }
        expect(ended).toEqual(all.flat().map(() => 'committed'));
      }),
      { numRuns: 30 },
    );
  });

  it('holds nothing of a channel back: what comes during a commit is all in the next', async () => {
    const { client, store, lanes } = world();
    const gate = new Gate();
    const batches: number[] = [];
    store.fault = {
      before: ({ receipts }, changes) => {
        if (changes !== null) return undefined;
        batches.push(receipts.scopes.length);
        return gate.opened;
      },
    };
    const results = [client.commit([publishOf('a', '0')])];
    await settled();
    for (const data of ['1', '2', '3']) {
      results.push(client.commit([publishOf('a', data)]));
      await settled();
    }
    expect(waiting(lanes)).toBe(3);
    gate.open();
    const serials = (await Promise.all(results)).flat().map((result) => result.delivery_serial);
    expect([serials, batches]).toEqual([
      [1, 2, 3, 4],
      [1, 3],
    ]);
  });

  it('is answered when its time is over, though the store says nothing', async () => {
    const { client, store, clock } = world();
    const gate = new Gate();
    store.fault = { before: () => gate.opened };
    const results = client.commit([publishOf('a', '1')]);
    await clock.pass(5000);
    expect(await results).toMatchObject([{ status: 'rejected', code: 'service_unavailable' }]);
    gate.open();
    await settled();
    expect(await client.commit([publishOf('a', '2')])).toMatchObject([{ delivery_serial: 2 }]);
  });

  it('is refused what is too much for a lane, and once the process ends', async () => {
    const { client, store, lanes, ended } = world();
    const gate = new Gate();
    store.fault = { before: () => gate.opened };
    const many = Array.from({ length: 4096 }, (_, index) => client.commit([publishOf('a', String(index))]));
    // Some of them are in a transaction, and the lane has room again.
    await settled();
    expect(waiting(lanes)).toBeLessThan(4096);
    const refused = { status: 'rejected', code: 'backpressure' };
    expect(await client.commit([publishOf('a', 'one more')])).toMatchObject([refused]);
    gate.open();
    const results = (await Promise.all(many)).flat();
    expect(results.at(-1)).toMatchObject({ status: 'applied', delivery_serial: 4096 });
    await lanes.close();
    expect(await client.commit([publishOf('a', 'late')])).toMatchObject([refused]);
    expect(ended.at(-1)).toBe('backpressure');
  });

  it('gets a chain skipped behind the first that is refused', async () => {
    const { client } = world();
    await client.commit([publishOf('a', '0', key('0'))]);
    const chain = [publishOf('a', '1'), publishOf('a', '2', key('2')), publishOf('a', '3')];
    const results = await client.commitChain(chain);
    expect(results.map(({ status }) => status)).toEqual(['applied', 'rejected', 'skipped']);
  });
});

import { StoreFailure, type Wanted } from '@carillon/history-store';
import { describe, expect, it } from 'vitest';
import { SharedTransactions } from '../../src/lane/shared-transactions.js';
import { settled } from '../manual-clock.js';
import { publishOf, purgeOf } from '../samples.js';
import { FaultyStore, Gate, LaneScene } from './scene.js';

/** Lanes of one process. */
function lanesOf(count: number) {
  const store = new FaultyStore();
  const shared = new SharedTransactions(store);
  const lanes = Array.from({ length: count }, () => new LaneScene(4096, 'w1', store, shared));
  /** The channels of each transaction that was begun. */
  const transactions: string[][] = [];
  const note = (wanted: Wanted): void => {
    transactions.push(wanted.streams.map(({ address }) => address.channel));
  };
  store.fault = { before: (wanted, changes) => (changes === null ? note(wanted) : undefined) };
  return { store, lanes, transactions, note };
}

const channelOf = (number: number): string => `channel-${number}`;
const one = (number: number, data = 'x') => [publishOf(channelOf(number), data)];

describe('lanes of one process', () => {
  it('commit in one transaction what one turn of the event loop brings them', async () => {
    const { lanes, transactions } = lanesOf(5);
    const results = await Promise.all(lanes.map((lane, number) => lane.results(one(number))));
    expect(results.flat()).toMatchObject(lanes.map(() => ({ status: 'applied', delivery_serial: 1 })));
    expect(transactions).toEqual([lanes.map((_, number) => channelOf(number))]);
    expect(lanes.map((lane) => lane.sent.map(({ channel }) => channel))).toEqual(
      lanes.map((_, number) => [channelOf(number)]),
    );
  });

  it('run two transactions at most, and gather what comes meanwhile for the next', async () => {
    const { store, lanes, transactions, note } = lanesOf(6);
    const gate = new Gate();
    store.fault = {
      before: (wanted, changes) => {
        if (changes !== null) return undefined;
        note(wanted);
        return gate.opened;
      },
    };
    const results: Promise<unknown>[] = [];
    for (const [number, lane] of lanes.entries()) {
      results.push(lane.results(one(number)));
      await settled();
    }
    expect(transactions).toEqual([[channelOf(0)], [channelOf(1)]]);
    gate.open();
    await Promise.all(results);
    expect(transactions.slice(2)).toEqual([[2, 3, 4, 5].map(channelOf)]);
  });

  it('take 500 records into one transaction, more only when one lane brings them', async () => {
    const { lanes, transactions } = lanesOf(4);
    const results = await Promise.all(
      lanes.map((lane, number) =>
        lane.results(Array.from({ length: 200 }, (_, index) => publishOf(channelOf(number), String(index)))),
      ),
    );
    expect(results.map((own) => own.map((result) => result.delivery_serial))).toEqual(
      lanes.map(() => Array.from({ length: 200 }, (_, index) => index + 1)),
    );
    expect(transactions.map((channels) => channels.length)).toEqual([2, 2]);
  });

  it('fail alone: a record that the store takes amiss costs nobody else anything', async () => {
    const { store, lanes } = lanesOf(3);
    store.fault = {
      before: (_, changes) => {
        if (changes?.records.some(({ payload }) => payload?.includes('poison')))
          throw new StoreFailure('data', 'invalid byte sequence');
      },
    };
    const results = await Promise.all(
      lanes.map((lane, number) => lane.results(one(number, number === 1 ? 'poison' : 'sound'))),
    );
    expect(results.flat()).toMatchObject([
      { status: 'applied', delivery_serial: 1 },
      { status: 'rejected', code: 'internal_error' },
      { status: 'applied', delivery_serial: 1 },
    ]);
    expect(lanes.map(({ failures }) => failures.length)).toEqual([0, 1, 0]);
  });

  it('all try again what failed for a reason that passes', async () => {
    const { store, lanes } = lanesOf(3);
    let failures = 1;
    store.fault = {
      before: () => {
        if (failures-- > 0) throw new StoreFailure('connection', 'gone');
      },
    };
    const results = lanes.map((lane, number) => lane.results(one(number)));
    await settled();
    await Promise.all(lanes.map(({ clock }) => clock.pass(100)));
    expect((await Promise.all(results)).flat()).toMatchObject(lanes.map(() => ({ status: 'applied' })));
    expect(lanes.map(({ retries }) => retries)).toEqual(lanes.map(() => ['connection']));
  });

  it('that bring the same stream do not share: the second sees what the first did', async () => {
    const { lanes, transactions } = lanesOf(2);
    const results = await Promise.all(lanes.map((lane) => lane.results(one(7))));
    expect(results.flat().map((result) => result.delivery_serial)).toEqual([1, 2]);
    expect(transactions).toEqual([[channelOf(7)], [channelOf(7)]]);
  });

  it('do not wait for one that looks through a whole stream', async () => {
    const { lanes, transactions } = lanesOf(2);
    await Promise.all(lanes.map((lane, number) => lane.results(one(number))));
    transactions.length = 0;
    const [first, second] = lanes;
    await Promise.all([first?.results([purgeOf(channelOf(0), { mode: 'all' })]), second?.results(one(1))]);
    expect(transactions).toEqual([[channelOf(0)], [channelOf(1)]]);
  });
});

import { setImmediate as turn } from 'node:timers/promises';
import type { CommitResult } from '@carillon/contracts';
import {
  type BatchLimits,
  type Changes,
  type Found,
  StoreFailure,
  type Wanted,
} from '@carillon/history-store';
import { describe, expect, it, vi } from 'vitest';
import { settled } from '../manual-clock.js';
import { keyed, publishOf, purgeOf } from '../samples.js';
import { FaultyStore, Gate, LaneScene, LoopScene } from './scene.js';

/** Lanes of one process. */
function lanesOf(count: number) {
  const process = new LoopScene();
  const { store } = process;
  const lanes = Array.from({ length: count }, () => new LaneScene(4096, process));
  /** The channels of each transaction that was begun. */
  const transactions: string[][] = [];
  const note = (wanted: Wanted): void => {
    transactions.push(wanted.streams.map(({ address }) => address.channel));
  };
  store.fault = { before: (wanted, changes) => (changes === null ? note(wanted) : undefined) };
  /** Blocks transactions (all, or matching ones) until the gate is opened. */
  const holdBack = (isMeant: (wanted: Wanted) => boolean = () => true): Gate => {
    const gate = new Gate();
    store.fault = {
      before: (wanted, changes) => {
        if (changes !== null) return undefined;
        note(wanted);
        return isMeant(wanted) ? gate.opened : undefined;
      },
    };
    return gate;
  };
  const { clock, batches, retries, failures } = process;
  return { store, clock, batches, retries, failures, lanes, transactions, holdBack };
}

const NOTHING: Changes = {
  streams: [],
  records: [],
  receipts: [],
  presenceEvents: [],
  presenceMembers: [],
  presenceCheckpoints: [],
  operatorLog: [],
};

const idem = (content: string) => ({ idem: keyed('shop', 'key', content) });
const channelOf = (number: number): string => `channel-${number}`;
const resultsOn = async (lane: LaneScene | undefined, number: number): Promise<readonly CommitResult[]> =>
  (await lane?.results(one(number))) ?? [];
const one = (number: number, data = 'x') => [publishOf(channelOf(number), data)];

/** A store that writes at most one stream atomically and retries on conflicts. */
class OneStreamStore extends FaultyStore {
  override readonly limits: BatchLimits = { records: 3, bytes: 64 * 1024, streams: 1, batches: 8 };
  /** Streams of the requested batches. */
  readonly asked: string[][] = [];

  override async commit<Decision extends { readonly changes: Changes }>(
    wanted: Wanted,
    decide: (found: Found) => Decision,
  ): Promise<Decision> {
    this.asked.push(wanted.streams.map(({ address }) => address.channel));
    await super.commit(wanted, (found) => ({ ...decide(found), changes: NOTHING }));
    return super.commit(wanted, decide);
  }
}

it('a store of one stream a batch is asked for them side by side, within its bounds, and every record is there once', async () => {
  const store = new OneStreamStore();
  const gate = new Gate();
  store.fault = { before: () => gate.opened };
  const lane = new LaneScene(4096, new LoopScene('w1', store));
  const records = Array.from({ length: 40 }, (_, n) => publishOf(channelOf(n % 5), String(n)));
  const results = lane.results(records);
  await vi.waitFor(() => expect(store.asked.length).toBeGreaterThan(0));
  expect(store.asked).toEqual(Array.from({ length: 5 }, (_, n) => [channelOf(n)]));
  gate.open();
  expect((await results).map(({ status }) => status)).toEqual(records.map(() => 'applied'));
  expect(store.asked.every((streams) => streams.length === 1)).toBe(true);
  expect(store.asked.length).toBeGreaterThanOrEqual(5 * Math.ceil(8 / 3));
  const serials = lane.sent.filter(({ channel }) => channel === channelOf(0)).map(({ serial }) => serial);
  expect(serials).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

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

  it('run one transaction at a time, and gather what comes meanwhile for the next', async () => {
    const { lanes, transactions, holdBack } = lanesOf(4);
    const gate = holdBack();
    const results: Promise<unknown>[] = [];
    for (const [number, lane] of lanes.entries()) {
      results.push(lane.results(one(number)));
      await settled();
    }
    expect(transactions).toEqual([[channelOf(0)]]);
    gate.open();
    await Promise.all(results);
    expect(transactions.slice(1)).toEqual([[1, 2, 3].map(channelOf)]);
  });

  it('do not wait for one that takes long, and run two at most', async () => {
    const { lanes, transactions, clock, holdBack } = lanesOf(5);
    const gate = holdBack(({ streams }) => streams.some(({ address }) => address.channel !== channelOf(2)));
    const results: Promise<unknown>[] = [];
    const publish = (number: number): void => void results.push(resultsOn(lanes[number], number));
    publish(0);
    await settled();
    publish(1);
    await clock.pass(19);
    expect(transactions).toEqual([[channelOf(0)]]);
    await clock.pass(1);
    expect(transactions).toEqual([[channelOf(0)], [channelOf(1)]]);
    publish(2);
    await clock.pass(100);
    expect(transactions).toHaveLength(2);
    gate.open();
    await Promise.all(results);
    expect(transactions.slice(2)).toEqual([[channelOf(2)]]);
  });

  it('commit beside one that is stuck as if it were not there', async () => {
    const { lanes, transactions, clock, holdBack } = lanesOf(3);
    const gate = holdBack(({ streams }) => streams.some(({ address }) => address.channel === channelOf(0)));
    const stuck = resultsOn(lanes[0], 0);
    await clock.pass(20);
    expect(await resultsOn(lanes[1], 1)).toMatchObject([{ status: 'applied' }]);
    expect(await resultsOn(lanes[2], 2)).toMatchObject([{ status: 'applied' }]);
    expect(transactions).toEqual([0, 1, 2].map((number) => [channelOf(number)]));
    gate.open();
    expect(await stuck).toMatchObject([{ status: 'applied' }]);
  });

  it('run two when more waits than one takes', async () => {
    const { lanes, transactions, batches, holdBack } = lanesOf(4);
    const gate = holdBack();
    const results = lanes.flatMap((lane, number) =>
      Array.from({ length: 300 }, (_, index) =>
        lane.results([publishOf(channelOf(number * 300 + index), 'x')]),
      ),
    );
    await settled();
    expect(transactions).toHaveLength(2);
    gate.open();
    await Promise.all(results);
    expect(batches).toEqual([500, 500, 200]);
  });

  it('tell publishers of a transaction when the next is on its way', async () => {
    const { lanes, transactions, holdBack } = lanesOf(2);
    const gate = holdBack();
    const first = resultsOn(lanes[0], 0).then(() => transactions.length);
    await settled();
    const second = resultsOn(lanes[1], 1);
    gate.open();
    expect(await first).toBe(2);
    await second;
  });

  it('skip what is left of a chain that broke in a transaction before', async () => {
    const { lanes, batches } = lanesOf(1);
    await lanes[0]?.results([publishOf('taken', 'x', idem('one'))]);
    const chained = Array.from({ length: 1100 }, (_, number) => publishOf(channelOf(number), 'x'));
    const broken = [publishOf('taken', 'y', idem('another')), ...chained];
    const results = (await lanes[0]?.results(broken, { chain: true })) ?? [];
    expect(results[0]).toMatchObject({ status: 'rejected', code: 'conflict' });
    expect(new Set(results.slice(1).map(({ status }) => status))).toEqual(new Set(['skipped']));
    expect(batches.length).toBeGreaterThan(2);
  });

  it('leave the event loop to others between transactions, however fast the store is', async () => {
    const { lanes, batches } = lanesOf(1);
    const flood = Array.from({ length: 4000 }, (_, number) => publishOf(channelOf(number), 'x'));
    const flooded = lanes[0]?.results(flood);
    const ofTurns: number[] = [];
    while (batches.length < 8) {
      const before = batches.length;
      await turn();
      ofTurns.push(batches.length - before);
    }
    expect(Math.max(...ofTurns)).toBeLessThanOrEqual(4);
    await flooded;
  });

  it('take 500 records into one transaction, whoever brings them', async () => {
    const { lanes, transactions, batches } = lanesOf(4);
    const results = await Promise.all(
      lanes.map((lane, number) =>
        lane.results(Array.from({ length: 200 }, (_, index) => publishOf(channelOf(number), String(index)))),
      ),
    );
    expect(results.map((own) => own.map((result) => result.delivery_serial))).toEqual(
      lanes.map(() => Array.from({ length: 200 }, (_, index) => index + 1)),
    );
    expect(transactions).toEqual([lanes, lanes].map((all) => all.map((_, number) => channelOf(number))));
    expect(batches).toEqual([500, 300]);
  });

  it('get their share of every transaction, however much another brings', async () => {
    const { lanes, transactions } = lanesOf(2);
    const flood = Array.from({ length: 2000 }, (_, number) => publishOf(channelOf(number), 'x'));
    const flooded = lanes[0]?.results(flood);
    expect(await resultsOn(lanes[1], 3000)).toMatchObject([{ status: 'applied' }]);
    expect(transactions[0]).toContain(channelOf(3000));
    expect(await flooded).toMatchObject(flood.map(() => ({ status: 'applied' })));
  });

  it('fail alone: a record that the store takes amiss costs nobody else anything', async () => {
    const { store, lanes, failures } = lanesOf(3);
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
    expect(failures).toHaveLength(1);
  });

  it('all try again what failed for a reason that passes', async () => {
    const { store, lanes, clock, retries } = lanesOf(3);
    let failures = 1;
    store.fault = {
      before: () => {
        if (failures-- > 0) throw new StoreFailure('connection', 'gone');
      },
    };
    const results = lanes.map((lane, number) => lane.results(one(number)));
    await settled();
    await clock.pass(100);
    expect((await Promise.all(results)).flat()).toMatchObject(lanes.map(() => ({ status: 'applied' })));
    expect(retries).toEqual(['connection']);
  });

  it('commit a stream in one transaction at a time: the second sees what the first did', async () => {
    const { lanes, transactions, clock, holdBack } = lanesOf(2);
    const gate = holdBack();
    const results = [resultsOn(lanes[0], 7)];
    await settled();
    results.push(resultsOn(lanes[1], 7), resultsOn(lanes[1], 8));
    await clock.pass(20);
    expect(transactions).toEqual([[channelOf(7)], [channelOf(8)]]);
    gate.open();
    const serials = (await Promise.all(results)).map((own) => own[0]?.delivery_serial);
    expect(serials).toEqual([1, 2, 1]);
    expect(transactions.slice(2)).toEqual([[channelOf(7)]]);
  });

  it('keep nobody waiting for a pause after a failure', async () => {
    const { store, lanes, clock } = lanesOf(4);
    store.fault = {
      before: ({ streams }) => {
        if (streams.some(({ address }) => address.channel !== channelOf(3)))
          throw new StoreFailure('deadlock', 'no');
      },
    };
    const failing: Promise<unknown>[] = [];
    for (const number of [0, 1, 2]) {
      failing.push(resultsOn(lanes[number], number));
      await settled();
    }
    expect(await lanes[3]?.results(one(3))).toMatchObject([{ status: 'applied' }]);
    store.fault = {};
    await clock.pass(1000);
    expect((await Promise.all(failing)).flat()).toMatchObject([0, 1, 2].map(() => ({ status: 'applied' })));
  });

  it('ask a store that takes nothing less and less often, however much comes', async () => {
    const { store, lanes, clock, retries } = lanesOf(1);
    store.fault = {
      before: () => {
        throw new StoreFailure('connection', 'gone');
      },
    };
    const results: Promise<readonly CommitResult[]>[] = [];
    for (let number = 0; number < 400; number += 1) {
      results.push(resultsOn(lanes[0], number));
      await clock.pass(10);
    }
    expect(retries.length).toBeLessThan(20);
    store.fault = {};
    await clock.pass(1000);
    expect((await Promise.all(results)).flat()).toMatchObject(results.map(() => ({ status: 'applied' })));
  });

  it('look through four whole streams at one time at most', async () => {
    const { lanes, transactions, holdBack } = lanesOf(6);
    await Promise.all(lanes.map((lane, number) => lane.results(one(number))));
    transactions.length = 0;
    const gate = holdBack(({ below }) => below !== null);
    const purges = lanes.map((lane, number) => lane.results([purgeOf(channelOf(number), { mode: 'all' })]));
    await settled();
    expect(transactions).toEqual([0, 1, 2, 3].map((number) => [channelOf(number)]));
    expect(await lanes[0]?.results(one(9))).toMatchObject([{ status: 'applied' }]);
    gate.open();
    expect((await Promise.all(purges)).flat()).toMatchObject(lanes.map(() => ({ status: 'applied' })));
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

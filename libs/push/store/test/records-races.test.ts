import { MemoryRecords, type RecordStore, RecordsUnavailable, type Row } from '@carillon/records';
import { describe, expect, it } from 'vitest';
import { type PushStore, PushStoreUnavailable } from '../src/index.js';
import { PUBLISH, subscriptionKey } from '../src/records/layout.js';
import { RecordPushStore } from '../src/records/store.js';
import { keysOf, processesConformance } from './conformance-processes.js';
import { admission, device, NOW, publish, subscription } from './samples.js';

/** Calls that let others go first, as calls over a network do, and that a test can watch or fail. */
function remote(
  records: MemoryRecords,
  before: (call: string, argument: unknown) => Promise<void> | void = () => {},
) {
  const called = async (call: string, argument: unknown): Promise<void> => {
    await new Promise(setImmediate);
    await before(call, argument);
  };
  const store: RecordStore = {
    limits: records.limits,
    connect: () => records.connect(),
    health: () => records.health(),
    close: () => records.close(),
    get: async (keys) => {
      await called('get', keys);
      return records.get(keys);
    },
    range: async (query) => {
      await called('range', query);
      return records.range(query);
    },
    commit: async (commit) => {
      await called('commit', commit);
      return records.commit(commit);
    },
    put: async (rows) => {
      await called('put', rows);
      return records.put(rows);
    },
    remove: async (keys) => {
      await called('remove', keys);
      return records.remove(keys);
    },
  };
  return store;
}

/** Whether a commit accepts a publish. */
const isAccepting = (argument: unknown): boolean =>
  (argument as { puts: readonly Row[] }).puts.some(({ sort }) => sort === PUBLISH.head);

/** An admission whose targets have `size` times six bytes. */
const large = (publishId: string, size: number) => {
  const given = admission(publishId);
  return { ...given, log: given.log === null ? null : { ...given.log, targets: 'ä😀'.repeat(size) } };
};

/** A promise with its resolver. */
function promised(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  const calls: (() => void)[] = [];
  const promise = new Promise<void>((done) => calls.push(done));
  return { promise, resolve: () => calls.forEach((done) => done()) };
}

/** Stores of several processes over the same rows. */
const processes = (count: number, records = new MemoryRecords()): PushStore[] =>
  Array.from({ length: count }, () => new RecordPushStore('records', remote(records)));

processesConformance('records in memory', async () => ({ stores: processes(3), close: async () => {} }));

describe('admissions of several processes', () => {
  it('take over the keys of an admission that died, which then accepts nothing with them', async () => {
    const records = new MemoryRecords();
    const { promise: held, resolve: release } = promised();
    let holds = true;
    const slow = new RecordPushStore(
      'records',
      remote(records, (call, argument) => {
        if (call !== 'commit' || !holds || !isAccepting(argument)) return undefined;
        holds = false;
        return held;
      }),
    );
    const [other] = processes(1, records);
    const late = slow.admit(keysOf('slow', ['key']));
    await expect.poll(() => holds).toBe(false);
    expect(await other?.idempotency('shop', ['key'], NOW)).toEqual([]);
    expect(await other?.admit(keysOf('fast', ['key']))).toBeNull();
    release();
    expect(await late).toMatchObject({ publishId: 'fast' });
    expect(await other?.publish('shop', 'slow')).toBeNull();
    expect(await other?.log('shop', 'slow')).toBeNull();
    expect(await other?.admit(keysOf('later', ['key']))).toMatchObject({ publishId: 'fast' });
  });

  it('accept a publish again that was withdrawn, with the same keys', async () => {
    const [store] = processes(1);
    expect(await store?.admit({ ...keysOf('again', ['key', 'other']), dueMs: NOW })).toBeNull();
    await store?.withdraw('shop', 'again');
    expect(await store?.countActive('shop', NOW, 10)).toBe(0);
    expect(await store?.dueJobs(NOW, 10)).toEqual([]);
    expect(await store?.admit(keysOf('again', ['key']))).toBeNull();
    expect(await store?.admit(keysOf('another', ['other']))).toBeNull();
  });
});

describe('steps of several processes', () => {
  it('never lose a subscription from the list of its channel when it is made and removed concurrently', async () => {
    for (let round = 0; round < 20; round += 1) {
      const [one, other] = processes(2) as [PushStore, PushStore];
      await one.changeDevice('shop', 'd', () => device('d'));
      const row = subscription('news', 'd');
      await one.putSubscription(row);
      await Promise.all([
        other.removeSubscriptions('shop', { channel: 'news', deviceId: 'd' }),
        one.putSubscription(row),
      ]);
      const left = await one.subscriptions('shop', { deviceId: 'd' }, null, 10);
      expect(await one.subscriptions('shop', { channel: 'news' }, null, 10)).toEqual(left);
    }
  });

  it('removes a device with more subscriptions than a commit holds', async () => {
    const [store] = processes(1) as [PushStore];
    await store.changeDevice('shop', 'd', () => device('d'));
    for (let index = 0; index < 250; index += 1) {
      await store.putSubscription(subscription(`c${String(index).padStart(3, '0')}`, 'd'));
    }
    expect(await store.removeDevices('shop', { deviceId: 'd' })).toBe(1);
    expect(await store.subscriptions('shop', { deviceId: 'd' }, null, 10)).toEqual([]);
    expect(await store.channels('shop', null, 10)).toEqual([]);
  });
});

describe('bounds of the records', () => {
  it('keep a log that is larger than a row, and reject one that is larger than a commit', async () => {
    const [store] = processes(1) as [PushStore];
    await store.admit(large('large', 150_000));
    expect((await store.log('shop', 'large'))?.targets).toBe('ä😀'.repeat(150_000));
    await expect(store.admit(large('larger', 700_000))).rejects.toThrow(/"larger" has \d+ bytes/);
    expect(await store.publish('shop', 'larger')).toBeNull();
  });

  it('name the record, its size and the limit in an error', async () => {
    const [store] = processes(1) as [PushStore];
    const metadata = 'x'.repeat(400_000);
    await expect(store.changeDevice('shop', 'd', () => device('d', { metadata }))).rejects.toThrow(
      /a push record of 40\d{4} bytes .* exceeds the 380000 bytes/,
    );
    await expect(store.putSubscription(subscription('c'.repeat(900), 'd'.repeat(200)))).rejects.toThrow(
      /key of 11\d\d bytes/,
    );
  });

  it('reject more steps than a commit holds', async () => {
    const [store] = processes(1) as [PushStore];
    await store.admit(admission('p'));
    const steps = Array.from({ length: store.mostSteps + 1 }, (_, index) => ({
      ...({ attempt: 1, from: 'open', to: { state: 'done', outcome: 'expired' } } as const),
      deliveryKey: `k${index}`,
    }));
    await expect(store.changePublish('shop', 'p', steps, () => null)).rejects.toThrow(RangeError);
  });

  it('reject with PushStoreUnavailable when the records do not answer, or others are always in the way', async () => {
    const records = new MemoryRecords();
    const failing = remote(records, () => {
      throw new RecordsUnavailable('away');
    });
    await expect(new RecordPushStore('records', failing).device('shop', 'd')).rejects.toThrow(
      PushStoreUnavailable,
    );
    const contended: RecordStore = { ...remote(records), commit: async () => false };
    const counts = { repeated: 0, givenUp: 0 };
    const store = new RecordPushStore('records', contended, {
      repeated: () => (counts.repeated += 1),
      givenUp: () => (counts.givenUp += 1),
    });
    await expect(store.useQuota('shop', 'day', 1, 10)).rejects.toThrow(/in each of 14 attempts/);
    expect(counts).toEqual({ repeated: 13, givenUp: 1 });
  });
});

describe('entries of indexes', () => {
  it('are ignored where their row does not exist, and removed when no commit can follow', async () => {
    const records = new MemoryRecords();
    const [store] = processes(1, records) as [PushStore];
    await store.changeDevice('shop', 'd', () => device('d', { clientId: 'one' }));
    await store.putSubscription(subscription('news', 'd'));
    await store.admit({ ...admission('later'), dueMs: NOW });
    const { partition, sort } = subscriptionKey('shop', 'd', 'news');
    const condition = await records.get([{ partition, sort }]);
    await records.commit({
      partition,
      conditions: [{ sort, version: condition[0]?.version ?? null }],
      puts: [],
      deletes: [sort],
    });
    expect(await store.channels('shop', null, 10)).toEqual([]);
    expect(await store.subscribers('shop', 'news', null, 10)).toEqual([]);
    expect((await store.countChannel('shop', 'news', 10)).size).toBe(0);
    await store.putSubscription(subscription('news', 'd'));
    expect(await store.channels('shop', null, 10)).toEqual(['news']);
  });

  it('lead a purge and the repair to every publish, page after page', async () => {
    const [store] = processes(1) as [PushStore];
    const ids = Array.from({ length: 300 }, (_, index) => `p${String(index).padStart(3, '0')}`);
    for (const [index, id] of ids.entries()) {
      const state = index % 3 === 0 ? 'succeeded' : 'queued';
      await store.admit({
        ...admission(id),
        publish: publish(id, { state, updatedMs: NOW - 400 * 86_400_000 + index * 86_400_000 }),
      });
    }
    const queued = ids.filter((_, index) => index % 3 !== 0);
    const found = await store.forgottenPublishes('queued', NOW, NOW, 1000);
    expect(found.map(({ publishId }) => publishId)).toEqual(queued);
    const some = await store.stalePublishes(NOW, 7);
    expect(some.map(({ publishId }) => publishId)).toEqual(queued.slice(0, 7));
    expect(await store.purge('publishes', NOW, 60)).toBe(60);
    expect(await store.purge('publishes', NOW, 60)).toBe(40);
    expect(await store.countActive('shop', NOW, 1000)).toBe(200);
  });
});

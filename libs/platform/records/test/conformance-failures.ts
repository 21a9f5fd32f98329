import { describe, expect, it } from 'vitest';
import { type RecordStore, RecordsUnavailable } from '../src/index.js';
import {
  absent,
  all,
  commitOf,
  connected,
  newTable,
  processes,
  type RecordsBackend,
  type RecordsServer,
  row,
  sorts,
} from './backend.js';

/** Bound of every call of every driver while its server does not answer. */
const CALL_BOUND_MS = 20_000;
const RECOVERY_BOUND_MS = 60_000;
/** Limit of calls that nothing will answer. */
const SHORT_TIMEOUT_MS = 3456;

/** Promises about connections and servers. */
export function failureConformance(backend: RecordsBackend): void {
  const { server, openWithWrongCredentials } = backend;
  describe('connections', () => {
    it('create one table when several processes start concurrently, and can be repeated', async () => {
      const [first, , , last] = (await processes(backend, 4)) as [
        RecordStore,
        RecordStore,
        RecordStore,
        RecordStore,
      ];
      expect(await first.commit(commitOf({ conditions: [absent('a')], puts: [row('a')] }))).toBe(true);
      await last.connect();
      expect(sorts(await all(last))).toEqual(['a']);
    });

    it('close more than once, before they are established, and without effect on others', async () => {
      const table = newTable();
      const [store, other] = [await backend.open(table), await connected(backend, table)];
      await store.connect();
      await Promise.all([store.close(), store.close()]);
      await store.close();
      await other.health();
      await (await backend.open(table)).close();
    });

    it('are healthy while the server answers', async () => {
      await expect((await connected(backend)).health()).resolves.toBeUndefined();
    });

    if (openWithWrongCredentials !== undefined) {
      it('reject wrong credentials with an error that names the setting', async () => {
        const store = await openWithWrongCredentials();
        const error: unknown = await store.connect().catch((thrown: unknown) => thrown);
        await store.close();
        expect(error).toBeInstanceOf(Error);
        expect(error).not.toBeInstanceOf(RecordsUnavailable);
        expect(String(error)).toMatch(/database\.\w+\.\w+/);
      });
    }

    if (server !== undefined) serverConformance(backend, server);
  });
}

function serverConformance(backend: RecordsBackend, server: RecordsServer): void {
  it(
    'reject every call with RecordsUnavailable while the server does not answer, and recover',
    async () => {
      const table = newTable();
      const store = await connected(backend, table);
      const hasty = await connected(backend, table, SHORT_TIMEOUT_MS);
      const late = await backend.open(table, SHORT_TIMEOUT_MS);
      await store.put([{ partition: 'index', ...row('a') }]);
      await server.pause();
      const limit = hasty.health().catch(String);
      const outcomes = await Promise.all(everyCall(hasty, late).map(outcomeOf));
      await server.resume();
      expect(await limit).toContain(`no answer within ${SHORT_TIMEOUT_MS} ms`);
      expect(outcomes).toEqual(outcomes.map(() => 'RecordsUnavailable'));
      await recovered(store);
      await late.connect();
      expect(sorts(await all(late, 'index'))).toContain('a');
      await late.close();
    },
    CALL_BOUND_MS + RECOVERY_BOUND_MS,
  );

  const { restart } = server;
  if (restart === null) return;

  it(
    'keep every resolved write over a crash of the server, and recover',
    async () => {
      const store = await connected(backend);
      const names = Array.from({ length: 20 }, (_, index) => `k${String(index).padStart(2, '0')}`);
      for (const sort of names) {
        expect(await store.commit(commitOf({ conditions: [absent(sort)], puts: [row(sort)] }))).toBe(true);
      }
      await store.put([{ partition: 'index', ...row('a') }]);
      await restart();
      await recovered(store);
      expect(sorts(await all(store))).toEqual(names);
      expect(sorts(await all(store, 'index'))).toEqual(['a']);
      expect(await store.commit(commitOf({ conditions: [absent('k00')], puts: [row('k00', 2)] }))).toBe(
        false,
      );
    },
    CALL_BOUND_MS + RECOVERY_BOUND_MS,
  );
}

const everyCall = (store: RecordStore, late: RecordStore): Promise<unknown>[] => [
  store.get([{ partition: 'p', sort: 'a' }]),
  all(store),
  store.commit(commitOf({ conditions: [absent('a')], puts: [row('a')] })),
  store.put([{ partition: 'index', ...row('b') }]),
  store.remove([{ partition: 'index', sort: 'missing' }]),
  store.health(),
  late.connect(),
];

/** The name of the error of a call, or that it was still running when its bound was over. */
async function outcomeOf(call: Promise<unknown>): Promise<string> {
  const settled = call.then(
    () => 'resolved',
    (thrown: unknown) => (thrown instanceof Error ? thrown.name : String(thrown)),
  );
  let timer: NodeJS.Timeout | undefined;
  const bound = new Promise<string>((resolve) => {
    timer = setTimeout(resolve, CALL_BOUND_MS, 'still running');
  });
  return Promise.race([settled, bound]).finally(() => clearTimeout(timer));
}

const recovered = (store: RecordStore): Promise<void> =>
  expect
    .poll(() => store.health().then(() => 'healthy', String), { timeout: RECOVERY_BOUND_MS, interval: 100 })
    .toBe('healthy');

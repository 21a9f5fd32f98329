import { type Database, explained, type Explained } from '@carillon/database';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SqlPushStore } from '../src/sql/sql-store.js';
import { pushTables } from '../src/sql/schema.js';
import { admission, NOW } from './samples.js';
import { cornerOf } from './scene.js';

/** Rows of the deliveries table, and of each other table. */
const MANY = 100_000;
const ROWS = 20_000;
const BATCH = 500;
const APP = 'shop';
const PUBLISH = 'big';

/** Tables as a process has just filled them: the server has never analysed them and will not during the test. */
const FILLED: Readonly<Record<string, string>> = {
  push_deliveries: `select '${APP}', '${PUBLISH}', lpad(i::text, 8, '0'), 'fcm', 'device-' || i, 'b', 'planned', 1,
    null, null, null, null, ${NOW} from generate_series(1, ${MANY}) i`,
  push_devices: `select '${APP}', 'device-' || lpad(i::text, 8, '0'), 'client-' || (i % 1000), 'phone', 'android', null, 'h',
    'UTC', 'en', ${NOW}, 'ACTIVE', 0, null, 'gcm', 'fcm', 'hash-' || i, '{}', null, null, ${NOW}, ${NOW}
    from generate_series(1, ${ROWS}) i`,
  push_subscriptions: `select '${APP}', 'news', 'device-' || lpad(i::text, 8, '0'), null, 'fcm', 'hash-' || i, null, ${NOW}
    from generate_series(1, ${ROWS}) i`,
  push_delivery_events: `select '${APP}', '${PUBLISH}', 'e' || i, i, 'fcm', 'rejected', '{}' from generate_series(1, ${ROWS}) i`,
  push_idempotency: `select '${APP}', 'k' || i, null, null, i from generate_series(1, ${ROWS}) i`,
  push_locks: `select '${APP}', 'l' || i, 'o', i from generate_series(1, ${ROWS}) i`,
  push_operator_events: `select '${APP}', 'e' || i, 's', i from generate_series(1, ${ROWS}) i`,
  push_dead_letters: `select '${APP}', 'd' || i, '${PUBLISH}', 'fcm', 's', 'k', 'r', i, null, null, 0
    from generate_series(1, ${ROWS}) i`,
  push_scheduled_jobs: `select '${APP}', 'j' || i, i from generate_series(1, ${ROWS}) i`,
  push_deferred_items: `select 'i' || i, 'q', i, '{}' from generate_series(1, ${ROWS}) i`,
  push_publishes: `select '${APP}', 'p' || i, case when i % 2 = 0 then 'succeeded' else 'dispatching' end, 1, 0, 0, 0, 0, 0, 0,
    0, false, null, null, null, ${NOW}, i from generate_series(1, ${ROWS}) i`,
  push_publish_log: `select '${APP}', 'p' || i, 'e', ${NOW}, '[]', '[]', null, null, 1, 1, 1 from generate_series(1, ${ROWS}) i`,
  push_quota_usage: `select 'app-' || i, 'day', '', 0 from generate_series(1, ${ROWS}) i`,
};

const keyAt = (index: number): string => String(index).padStart(8, '0');
const keys = (from: number): string[] => Array.from({ length: BATCH }, (_, index) => keyAt(from + index));
const deviceIds = (from: number): string[] => keys(from).map((key) => `device-${key}`);

const lease = { owner: 'o', nowMs: NOW, untilMs: NOW + 60_000 };
const jobs = (from: number) => keys(from).map((deliveryKey) => ({ deliveryKey, attempt: 1 }));
const done = (from: number) =>
  keys(from).map((deliveryKey) => ({
    deliveryKey,
    from: 'sending' as const,
    attempt: 1,
    to: { state: 'done' as const, outcome: 'accepted' as const },
  }));

describe('the statements of the push store on PostgreSQL tables that were never analysed', () => {
  let store: SqlPushStore;
  let taken: Explained['taken'];
  let end: () => Promise<void>;

  beforeAll(async () => {
    const corner = await cornerOf('postgres');
    end = corner.end;
    const database: Database = corner.databases().use('postgres', [pushTables('postgres')]);
    await database.connect();
    const filler = corner.databases().apart('postgres', { waiting: 9, statementMs: 60_000 });
    await filler.connect();
    for (const [table, rows] of Object.entries(FILLED)) {
      const name = `service.${table}`;
      await filler.query(`alter table ${name} set (autovacuum_enabled = false)`);
      await filler.query(`insert into ${name} ${rows}`);
    }
    await filler.close();
    const { database: observed, taken: found } = explained(database);
    [store, taken] = [new SqlPushStore('postgres', observed), found];
    await store.admit(admission(PUBLISH));
    end = async () => {
      await store.close();
      await corner.end();
    };
    taken();
  }, 120_000);
  afterAll(() => end());

  /** Every statement may read its batch a few times over, and never the table. */
  const expectBounded = (batch: number): void => {
    const statements = taken();
    expect(statements.length).toBeGreaterThan(0);
    for (const { sql, rows } of statements)
      expect({ sql, rows: rows <= 4 * batch + 20 ? 0 : rows }).toEqual({ sql, rows: 0 });
  };

  const bounded: readonly (readonly [string, number, () => Promise<unknown>])[] = [
    ['takeForSending', BATCH, () => store.takeForSending(APP, PUBLISH, jobs(50_000), lease)],
    ['isBeingSent', BATCH, () => store.isBeingSent(APP, PUBLISH, jobs(50_000), NOW)],
    [
      'changePublish',
      BATCH,
      () => store.changePublish(APP, PUBLISH, done(50_000), (publish) => ({ publish })),
    ],
    ['giveBack', BATCH, () => store.giveBack(APP, PUBLISH, keys(60_000), 'o', NOW)],
    ['touchClaims', BATCH, () => store.touchClaims(APP, PUBLISH, keys(70_000), NOW)],
    ['devicesOf', BATCH, () => store.devicesOf(APP, deviceIds(10_000))],
    [
      'touchDevices',
      BATCH,
      () =>
        store.touchDevices(
          APP,
          deviceIds(11_000).map((deviceId, index) => ({ deviceId, tokenHash: `hash-${11_000 + index}` })),
          { nowMs: NOW + 2, beforeMs: NOW + 1 },
        ),
    ],
    ['subscribers', BATCH, () => store.subscribers(APP, 'news', `device-${keyAt(10_000)}`, BATCH)],
    ['devices of a client', 100, () => store.devices(APP, { clientId: 'client-7' }, null, BATCH)],
    ['devices of an app', BATCH, () => store.devices(APP, {}, null, BATCH)],
    ['a later page of devices', BATCH, () => store.devices(APP, {}, `device-${keyAt(10_000)}`, BATCH)],
    ['a device', 1, () => store.devices(APP, { deviceId: `device-${keyAt(10_000)}` }, null, BATCH)],
    ['subscriptions of an app', BATCH, () => store.subscriptions(APP, {}, null, BATCH)],
    [
      'a later page of subscriptions',
      BATCH,
      () => store.subscriptions(APP, {}, ['news', `device-${keyAt(10_000)}`], BATCH),
    ],
    ['subscriptions of a channel', BATCH, () => store.subscriptions(APP, { channel: 'news' }, null, BATCH)],
    [
      'subscriptions of a device',
      1,
      () => store.subscriptions(APP, { deviceId: `device-${keyAt(10_000)}` }, null, BATCH),
    ],
    ['operatorEvents', BATCH, () => store.operatorEvents(ROWS - BATCH, BATCH)],
    ['openClaims', BATCH, () => store.openClaims(APP, PUBLISH, keyAt(50_500), BATCH)],
    ['forgottenClaims', BATCH, () => store.forgottenClaims({ untouchedMs: NOW + 1, freeMs: NOW }, BATCH)],
    ['dueJobs', BATCH, () => store.dueJobs(ROWS, BATCH)],
    ['dueDeferred', BATCH, () => store.dueDeferred(ROWS, BATCH)],
    ['removeDeferred', BATCH, () => store.removeDeferred(keys(1).map((key) => `i${Number(key)}`))],
    ['removeJob', 1, () => store.removeJob(APP, 'j7')],
    ['lock', 1, () => store.lock(APP, 'l7', 'x', ROWS, ROWS + 1)],
    ['unlock', 1, () => store.unlock(APP, 'l7', 'x')],
    ['remember', 1, () => store.remember(APP, 'k7', ROWS, ROWS + 1)],
    [
      'rememberAll',
      BATCH,
      () =>
        store.rememberAll(
          APP,
          keys(1).map((key) => `k${Number(key)}`),
          ROWS,
          ROWS + 1,
        ),
    ],
    [
      'idempotency',
      BATCH,
      () =>
        store.idempotency(
          APP,
          keys(1).map((key) => `k${Number(key)}`),
          0,
        ),
    ],
    ['useQuota', 1, () => store.useQuota('app-7', 'day', 1, 10)],
    ['forgottenPublishes', BATCH, () => store.forgottenPublishes('begun', ROWS, ROWS, BATCH)],
    ['stalePublishes', BATCH, () => store.stalePublishes(ROWS, BATCH)],
    ['purge deliveryEvents', BATCH, () => store.purge('deliveryEvents', ROWS, BATCH)],
    ['purge operatorEvents', BATCH, () => store.purge('operatorEvents', ROWS, BATCH)],
    ['purge deadLetters', BATCH, () => store.purge('deadLetters', ROWS, BATCH)],
    ['purge idempotency', BATCH, () => store.purge('idempotency', ROWS, BATCH)],
    ['purge locks', BATCH, () => store.purge('locks', ROWS, BATCH)],
    ['purge publishes', 20, () => store.purge('publishes', ROWS, 20)],
    ['removeStaleDevices', BATCH, () => store.removeStaleDevices(NOW + 1, BATCH)],
  ];
  it.each(bounded)('%s reads no more than its batch', async (_name, batch, run) => {
    await run();
    expectBounded(batch);
  });
});

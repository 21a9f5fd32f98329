import type { RecordStore } from '@carillon/records';
import type { DeferredItem, ScheduledJob, WorkerRow } from '../model/publishes.js';
import type { DeviceState } from '../model/resources.js';
import { byColumns } from '../model/compare.js';
import type { PushStore } from '../port/port.js';
import type { DeviceCount } from '../port/upkeep.js';
import { type StoreObserver, UNOBSERVED } from '../sql/session.js';
import { expiryOf, reservationOf, type Reservation } from './admission.js';
import type { BucketCounts } from './device-rows.js';
import { chunks, groupBy } from './group-by.js';
import { readIndexed } from './indexed.js';
import { keyOf, partsOf } from './keys.js';
import { deferredKey, DEVICES, idempotencyKey, INDEX, ownKey, PUBLISH } from './layout.js';
import { Parts } from './parts.js';
import { unlistActive } from './publish-index.js';
import { RecordPurge } from './purge.js';
import { ALL } from './rows.js';
import { until } from './time-index.js';
import { headOf, headValue } from './values.js';

const PAGE = 1000;
const MOST_COUNTS = 10_000;
/** Use of a day is needed until its last publish is planned. */
const QUOTA_MS = 60 * 86_400_000;
/** Partitions in which keys are remembered at a time. */
const PARTITIONS_AT_ONCE = 16;

interface Lock {
  readonly owner: string;
  readonly untilMs: number;
}

/** A push store over partitioned records: DynamoDB, ScyllaDB, Cassandra and SurrealDB. */
export class RecordPushStore extends RecordPurge implements PushStore {
  readonly durable = true;

  constructor(
    readonly driver: string,
    private readonly records: RecordStore,
    observer: StoreObserver = UNOBSERVED,
  ) {
    super(new Parts(records, observer));
  }

  connect(): Promise<void> {
    return this.records.connect();
  }

  health(): Promise<void> {
    return this.records.health();
  }

  close(): Promise<void> {
    return this.records.close();
  }

  async dueJobs(nowMs: number, limit: number): Promise<ScheduledJob[]> {
    return readIndexed<ScheduledJob>(this.parts.rows, this.parts.jobs, {
      span: until(nowMs),
      limit,
      keyOf: ({ id: [appId = '', jobId = ''] }) => ({
        partition: PUBLISH.partition(appId, jobId),
        sort: PUBLISH.job,
      }),
      judge: (row, { timeMs, id: [appId = '', jobId = ''] }) =>
        row === null || Number(row.value) !== timeMs
          ? { to: null }
          : { value: { appId, jobId, dueMs: timeMs } },
    });
  }

  async removeJob(appId: string, jobId: string): Promise<void> {
    const dueMs = await this.parts.partitions.step(PUBLISH.partition(appId, jobId), async (draft) => {
      const value = await draft.readOne(PUBLISH.job);
      if (value !== null) draft.delete(PUBLISH.job);
      return value === null ? null : Number(value);
    });
    if (dueMs !== null) await this.parts.jobs.remove([{ timeMs: dueMs, id: [appId, jobId] }]);
  }

  async cancelJob(
    appId: string,
    jobId: string,
    nowMs: number,
  ): Promise<'cancelled' | 'dispatched' | 'absent'> {
    const { partitions, over, jobs } = this.parts;
    const id = [appId, jobId];
    const outcome = await partitions.step(PUBLISH.partition(appId, jobId), async (draft) => {
      const values = await draft.read([PUBLISH.head, PUBLISH.job]);
      const [value, job] = [values.get(PUBLISH.head), values.get(PUBLISH.job)];
      const head = value === undefined ? null : headOf(value);
      if (head === null || head.publish.state === 'cancelled') return 'absent';
      if (head.publish.state !== 'queued') return 'dispatched';
      await over.put([{ timeMs: nowMs, id }]);
      draft.put(
        PUBLISH.head,
        headValue({ ...head, publish: { ...head.publish, state: 'cancelled', updatedMs: nowMs } }),
      );
      if (job !== undefined) draft.delete(PUBLISH.job);
      return { dueMs: job === undefined ? null : Number(job) };
    });
    if (typeof outcome === 'string') return outcome;
    if (outcome.dueMs !== null) await jobs.remove([{ timeMs: outcome.dueMs, id }]);
    await unlistActive(this.parts, appId, [jobId]);
    return 'cancelled';
  }

  async putDeferred(items: readonly DeferredItem[]): Promise<void> {
    const { partitions, deferred } = this.parts;
    const unique = [...new Map(items.map((item) => [item.id, item])).values()];
    for (const [partition, own] of groupBy(unique, ({ id }) => deferredKey(id).partition)) {
      for (const some of chunks(own, partitions.mostRows)) {
        await partitions.step(partition, async (draft) => {
          const existing = await draft.read(some.map(({ id }) => keyOf(id)));
          const fresh = some.filter(({ id }) => !existing.has(keyOf(id)));
          await deferred.put(fresh.map(({ id, dueMs }) => ({ timeMs: dueMs, id: [id] })));
          for (const item of fresh) draft.put(keyOf(item.id), JSON.stringify(item));
        });
      }
    }
  }

  async dueDeferred(nowMs: number, limit: number): Promise<DeferredItem[]> {
    return readIndexed<DeferredItem>(this.parts.rows, this.parts.deferred, {
      span: until(nowMs),
      limit,
      keyOf: ({ id: [id = ''] }) => deferredKey(id),
      judge: (row, { timeMs }) => {
        const item = row === null ? null : (JSON.parse(row.value) as DeferredItem);
        return item?.dueMs === timeMs ? { value: item } : { to: null };
      },
    });
  }

  async removeDeferred(ids: readonly string[]): Promise<void> {
    const { rows, partitions, deferred } = this.parts;
    const found = await rows.get([...new Set(ids)].map(deferredKey));
    for (const [partition, own] of groupBy(found, (row) => row.partition)) {
      await partitions.deleteRows(partition, own);
    }
    const items = found.map(({ value }) => JSON.parse(value) as DeferredItem);
    await deferred.remove(items.map(({ id, dueMs }) => ({ timeMs: dueMs, id: [id] })));
  }

  async lock(appId: string, lockId: string, owner: string, nowMs: number, untilMs: number): Promise<boolean> {
    const { partition, sort } = ownKey('lock', appId, lockId);
    return this.parts.partitions.step(partition, async (draft) => {
      const value = await draft.readOne(sort);
      const held = value === null ? null : (JSON.parse(value) as Lock);
      if (held !== null && held.untilMs > nowMs && held.owner !== owner) return false;
      const lock: Lock = { owner, untilMs };
      draft.put(sort, JSON.stringify(lock), expiryOf(untilMs - nowMs));
      return true;
    });
  }

  async unlock(appId: string, lockId: string, owner: string): Promise<void> {
    const { partition, sort } = ownKey('lock', appId, lockId);
    await this.parts.partitions.step(partition, async (draft) => {
      const value = await draft.readOne(sort);
      if (value !== null && (JSON.parse(value) as Lock).owner === owner) draft.delete(sort);
    });
  }

  async remember(appId: string, key: string, nowMs: number, untilMs: number): Promise<boolean> {
    return (await this.rememberAll(appId, [key], nowMs, untilMs)).has(key);
  }

  async rememberAll(
    appId: string,
    keys: readonly string[],
    nowMs: number,
    untilMs: number,
  ): Promise<ReadonlySet<string>> {
    const added = new Set<string>();
    const byPartition = groupBy([...new Set(keys)], (key) => idempotencyKey(appId, key).partition);
    for (const some of chunks([...byPartition], PARTITIONS_AT_ONCE)) {
      await Promise.all(
        some.map(async ([partition, own]) => {
          for (const key of await this.#remember(partition, own, nowMs, untilMs)) added.add(key);
        }),
      );
    }
    return added;
  }

  async #remember(
    partition: string,
    keys: readonly string[],
    nowMs: number,
    untilMs: number,
  ): Promise<readonly string[]> {
    const added: string[] = [];
    for (const some of chunks(keys, this.parts.partitions.mostRows)) {
      const fresh = await this.parts.partitions.step(partition, async (draft) => {
        const values = await draft.read(some.map((key) => keyOf(key)));
        const missing = some.filter((key) => {
          const value = values.get(keyOf(key));
          return value === undefined || reservationOf(value).expiresMs <= nowMs;
        });
        for (const key of missing) {
          const row: Reservation = {
            key,
            publishId: null,
            bodyHash: null,
            expiresMs: untilMs,
            reservedMs: 0,
          };
          draft.put(keyOf(key), JSON.stringify(row), expiryOf(untilMs - nowMs));
        }
        return missing;
      });
      added.push(...fresh);
    }
    return added;
  }

  async useQuota(appId: string, day: string, amount: number, limit: number): Promise<boolean> {
    const { partition, sort } = ownKey('quota', appId, day);
    return this.parts.partitions.step(partition, async (draft) => {
      const used = Number((await draft.readOne(sort)) ?? 0) + amount;
      if (amount > 0 && used > limit) return false;
      draft.put(sort, String(Math.max(0, used)), expiryOf(QUOTA_MS));
      return true;
    });
  }

  async quotaUsed(appId: string, day: string): Promise<number> {
    const { partition, sort } = ownKey('quota', appId, day);
    return Number((await this.parts.rows.one(partition, sort))?.value ?? 0);
  }

  async installationValue(name: string, proposed: string | null): Promise<string | null> {
    const { partition, sort } = ownKey('installation', name);
    return this.parts.partitions.step(partition, async (draft) => {
      const stored = await draft.readOne(sort);
      if (stored === null && proposed !== null) draft.put(sort, proposed);
      return stored ?? proposed;
    });
  }

  async beat(worker: WorkerRow): Promise<void> {
    const { workerId, expiresMs } = worker;
    const expiresAtMs = Math.max(expiryOf(0), expiresMs);
    const value = JSON.stringify(worker);
    await this.parts.rows.put([
      { partition: INDEX.workers, sort: keyOf(workerId), version: 1, value, expiresAtMs },
    ]);
  }

  async workers(nowMs: number): Promise<WorkerRow[]> {
    const workers: WorkerRow[] = [];
    for await (const page of this.parts.rows.pages(INDEX.workers, ALL, PAGE)) {
      workers.push(...page.map(({ value }) => JSON.parse(value) as WorkerRow));
    }
    return workers.filter(({ expiresMs }) => expiresMs > nowMs);
  }

  async leave(workerId: string): Promise<void> {
    await this.parts.rows.remove([{ partition: INDEX.workers, sort: keyOf(workerId) }]);
  }

  async countDevices(): Promise<readonly DeviceCount[]> {
    const { rows } = this.parts;
    const counts: DeviceCount[] = [];
    for await (const page of rows.pages(INDEX.apps, ALL, PAGE)) {
      for (const entry of page) {
        const appId = partsOf(entry.sort)[0] ?? '';
        const keys = DEVICES.partitions(appId).map((partition) => ({ partition, sort: DEVICES.counts }));
        const totals = sumOf((await rows.get(keys)).map(({ value }) => JSON.parse(value) as BucketCounts));
        for (const [state, count] of totals) if (count > 0) counts.push({ appId, state, count });
      }
    }
    return counts
      .sort((one, other) => byColumns([one.appId, one.state], [other.appId, other.state]))
      .slice(0, MOST_COUNTS);
  }

  /** May count jobs whose process died before it removed them from the index. */
  async countJobs(nowMs: number, most: number): Promise<{ due: number; waiting: number }> {
    const { jobs } = this.parts;
    const due = await jobs.count(until(nowMs), most);
    const waiting = await jobs.count({ fromMs: nowMs + 1, toMs: null }, most);
    return { due, waiting };
  }
}

function sumOf(buckets: readonly BucketCounts[]): ReadonlyMap<DeviceState, number> {
  const totals = new Map<DeviceState, number>();
  for (const bucket of buckets) {
    for (const state of ['ACTIVE', 'FAILED', 'FAILING'] as const) {
      totals.set(state, (totals.get(state) ?? 0) + (bucket[state] ?? 0));
    }
  }
  return totals;
}

import type { RecordStore } from '@carillon/records';
import type { DeferredItem, ScheduledJob } from '../model/publishes.js';
import type { DeviceState } from '../model/resources.js';
import { byColumns } from '../model/compare.js';
import type { PushStore } from '../port/port.js';
import type { DeviceCount } from '../port/upkeep.js';
import { type StoreObserver, UNOBSERVED } from '../sql/session.js';
import type { BucketCounts } from './device-rows.js';
import { chunks, groupBy } from './group-by.js';
import { readIndexed } from './indexed.js';
import { keyOf, partsOf } from './keys.js';
import { deferredKey, DEVICES, INDEX, PUBLISH } from './layout.js';
import { Parts } from './parts.js';
import { activeEntry, unlistActive } from './publish-index.js';
import { RecordKeyed } from './keyed.js';
import { ALL } from './rows.js';
import { until } from './time-index.js';
import { headOf, headValue } from './values.js';

const PAGE = 1000;
const MAX_COUNTS = 10_000;
/** A push store over partitioned records: DynamoDB, ScyllaDB, Cassandra and SurrealDB. */
export class RecordPushStore extends RecordKeyed implements PushStore {
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
      return { head, dueMs: job === undefined ? null : Number(job) };
    });
    if (typeof outcome === 'string') return outcome;
    if (outcome.dueMs !== null) await jobs.remove([{ timeMs: outcome.dueMs, id }]);
    await unlistActive(this.parts, appId, [activeEntry(outcome.head)]);
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
      .slice(0, MAX_COUNTS);
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

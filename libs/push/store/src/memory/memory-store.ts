import { byColumns } from '../model/compare.js';
import {
  isActive,
  isUnplanned,
  type Claim,
  type DeferredItem,
  type ScheduledJob,
  type StoredPublish,
  type WorkerRow,
} from '../model/publishes.js';
import type { PushStore } from '../port/port.js';
import type { DeviceCount, PurgeCategory } from '../port/upkeep.js';
import { MemoryPublishes } from './publishes.js';
import { Tables } from './tables.js';

const MAX_COUNTS = 10_000;

/** Everything in the memory of the process, and gone with it. */
export class MemoryPushStore extends MemoryPublishes implements PushStore {
  readonly driver = 'memory';
  readonly durable = false;

  constructor() {
    super(new Tables());
  }

  async connect(): Promise<void> {}
  async health(): Promise<void> {}
  async close(): Promise<void> {}

  async dueJobs(nowMs: number, limit: number): Promise<ScheduledJob[]> {
    const { scheduled } = this.tables;
    return scheduled.page(
      ({ dueMs }) => dueMs <= nowMs,
      (row) => [row.dueMs, row.appId, row.jobId],
      null,
      limit,
    );
  }

  async removeJob(appId: string, jobId: string): Promise<void> {
    this.tables.scheduled.removeWhere((row) => row.appId === appId && row.jobId === jobId);
  }

  async cancelJob(
    appId: string,
    jobId: string,
    nowMs: number,
  ): Promise<'cancelled' | 'dispatched' | 'absent'> {
    const publish = this.tables.publishes.get(appId, jobId);
    if (publish === null || publish.state === 'cancelled') return 'absent';
    if (publish.state !== 'queued') return 'dispatched';
    this.tables.publishes.put({ ...publish, state: 'cancelled', updatedMs: nowMs });
    await this.removeJob(appId, jobId);
    return 'cancelled';
  }

  async putDeferred(items: readonly DeferredItem[]): Promise<void> {
    for (const item of items) this.tables.deferred.add(item);
  }

  async dueDeferred(nowMs: number, limit: number): Promise<DeferredItem[]> {
    return this.tables.deferred.page(
      ({ dueMs }) => dueMs <= nowMs,
      (row) => [row.dueMs, row.id],
      null,
      limit,
    );
  }

  async removeDeferred(ids: readonly string[]): Promise<void> {
    const gone = new Set(ids);
    this.tables.deferred.removeWhere(({ id }) => gone.has(id));
  }

  async lock(appId: string, lockId: string, owner: string, nowMs: number, untilMs: number): Promise<boolean> {
    const held = this.tables.locks.get(appId, lockId);
    if (held !== null && held.untilMs > nowMs && held.owner !== owner) return false;
    this.tables.locks.put({ appId, lockId, owner, untilMs });
    return true;
  }

  async unlock(appId: string, lockId: string, owner: string): Promise<void> {
    this.tables.locks.removeWhere(
      (row) => row.appId === appId && row.lockId === lockId && row.owner === owner,
    );
  }

  async remember(appId: string, key: string, nowMs: number, untilMs: number): Promise<boolean> {
    const known = this.tables.idempotency.get(appId, key);
    if (known !== null && known.expiresMs > nowMs) return false;
    this.tables.idempotency.put({ appId, key, publishId: null, bodyHash: null, expiresMs: untilMs });
    return true;
  }

  async rememberAll(
    appId: string,
    keys: readonly string[],
    nowMs: number,
    untilMs: number,
  ): Promise<ReadonlySet<string>> {
    const added = new Set<string>();
    for (const key of keys) if (await this.remember(appId, key, nowMs, untilMs)) added.add(key);
    return added;
  }

  async useQuota(appId: string, day: string, amount: number, limit: number): Promise<boolean> {
    const used = (this.tables.quotas.get(appId, day)?.used ?? 0) + amount;
    if (amount > 0 && used > limit) return false;
    this.tables.quotas.put({ appId, day, used: Math.max(0, used) });
    return true;
  }

  async installationValue(name: string, proposed: string | null): Promise<string | null> {
    const { installation } = this.tables;
    if (proposed !== null && !installation.has(name)) installation.set(name, proposed);
    return installation.get(name) ?? null;
  }

  async beat(worker: WorkerRow): Promise<void> {
    this.tables.workers.put(worker);
  }

  async workers(nowMs: number): Promise<WorkerRow[]> {
    return this.tables.workers.filter(({ expiresMs }) => expiresMs > nowMs);
  }

  async leave(workerId: string): Promise<void> {
    this.tables.workers.removeWhere((row) => row.workerId === workerId);
  }

  async forgottenPublishes(
    planning: 'begun' | 'queued',
    beforeMs: number,
    nowMs: number,
    limit: number,
  ): Promise<StoredPublish[]> {
    return this.tables.publishes.page(
      (row) => isUnplanned(row, planning) && row.updatedMs < beforeMs && !this.isWaiting(row, nowMs),
      (row) => [row.updatedMs],
      null,
      limit,
    );
  }

  async forgottenClaims(
    { untouchedMs, freeMs }: { readonly untouchedMs: number; readonly freeMs: number },
    limit: number,
  ): Promise<Claim[]> {
    return [...this.tables.claims.values()]
      .flatMap((claims) => [...claims.values()])
      .filter(
        ({ state, updatedMs, leaseUntilMs }) =>
          state !== 'done' && updatedMs < untouchedMs && (leaseUntilMs ?? 0) < freeMs,
      )
      .slice(0, limit);
  }

  async stalePublishes(beforeMs: number, limit: number): Promise<StoredPublish[]> {
    return this.tables.publishes
      .filter((row) => isActive(row) && row.updatedMs < beforeMs && !this.isWaiting(row, beforeMs))
      .slice(0, limit);
  }

  async touchClaims(appId: string, publishId: string, keys: readonly string[], nowMs: number): Promise<void> {
    const claims = this.tables.claimsOf(appId, publishId);
    for (const key of keys) {
      const claim = claims.get(key);
      if (claim !== undefined) claims.set(key, { ...claim, updatedMs: nowMs });
    }
  }

  async purge(category: PurgeCategory, beforeMs: number, limit: number): Promise<number> {
    const { tables } = this;
    const older = (row: { occurredMs: number }): boolean => row.occurredMs < beforeMs;
    // Remaining category: `workers`.
    // oxlint-disable-next-line typescript/switch-exhaustiveness-check
    switch (category) {
      case 'publishes': {
        const over = (row: StoredPublish): boolean => !isActive(row) && row.updatedMs < beforeMs;
        const gone = tables.publishes.filter(over, limit);
        for (const publish of gone) tables.removePublish(publish);
        return gone.length;
      }
      case 'deliveryEvents':
        return tables.events.removeWhere(older, limit).length;
      case 'operatorEvents':
        return tables.operatorEvents.removeWhere(older, limit).length;
      case 'deadLetters':
        return tables.deadLetters.removeWhere(older, limit).length;
      case 'idempotency':
        return tables.idempotency.removeWhere(({ expiresMs }) => expiresMs < beforeMs, limit).length;
      case 'locks':
        return tables.locks.removeWhere(({ untilMs }) => untilMs < beforeMs, limit).length;
      default:
        return tables.workers.removeWhere(({ expiresMs }) => expiresMs < beforeMs, limit).length;
    }
  }

  async removeStaleDevices(beforeMs: number, limit: number): Promise<ReadonlyMap<string, number>> {
    const { devices } = this.tables;
    const gone = devices.filter(
      ({ state, lastActiveMs }) => state === 'FAILED' && lastActiveMs < beforeMs,
      limit,
    );
    const byApp = new Map<string, number>();
    for (const device of gone) {
      this.tables.removeDevice(device);
      byApp.set(device.appId, (byApp.get(device.appId) ?? 0) + 1);
    }
    return byApp;
  }

  async countDevices(): Promise<readonly DeviceCount[]> {
    const counts = new Map<string, DeviceCount>();
    for (const { appId, state } of this.tables.devices.values()) {
      const name = JSON.stringify([appId, state]);
      counts.set(name, { appId, state, count: (counts.get(name)?.count ?? 0) + 1 });
    }
    return [...counts.values()]
      .sort((one, other) => byColumns([one.appId, one.state], [other.appId, other.state]))
      .slice(0, MAX_COUNTS);
  }

  async countJobs(nowMs: number, most: number): Promise<{ due: number; waiting: number }> {
    const { scheduled } = this.tables;
    const due = scheduled.filter(({ dueMs }) => dueMs <= nowMs, most).length;
    const waiting = scheduled.filter(({ dueMs }) => dueMs > nowMs, most).length;
    return { due, waiting };
  }

  async quotaUsed(appId: string, day: string): Promise<number> {
    return this.tables.quotas.get(appId, day)?.used ?? 0;
  }
}

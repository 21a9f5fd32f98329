import type { WorkerRow } from '../model/publishes.js';
import { expiryOf, type Reservation, reservationOf } from './admission.js';
import { chunks, groupBy } from './group-by.js';
import { keyOf } from './keys.js';
import { idempotencyKey, INDEX, ownKey } from './layout.js';
import { RecordPurge } from './purge.js';
import { ALL } from './rows.js';

const PAGE = 1000;
/** Use of a day is needed until its last publish is planned. */
const QUOTA_MS = 60 * 86_400_000;
/** Partitions in which keys are remembered at a time. */
const PARTITIONS_AT_ONCE = 16;

interface Lock {
  readonly owner: string;
  readonly untilMs: number;
}

/** Locks, idempotency keys, quotas, values of the installation and workers; most of them expire. */
export class RecordKeyed extends RecordPurge {
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
            attemptId: '',
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
}

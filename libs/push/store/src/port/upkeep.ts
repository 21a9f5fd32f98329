import type { Claim, DeferredItem, ScheduledJob, StoredPublish, WorkerRow } from '../model/publishes.js';
import type { DeviceState } from '../model/resources.js';

/** Due jobs, lost work, expired rows, and workers. */
export interface UpkeepStore {
  /** Due by then, of all apps. */
  dueJobs(nowMs: number, limit: number): Promise<ScheduledJob[]>;
  removeJob(appId: string, jobId: string): Promise<void>;
  /**
   * Cancels a job that is still `queued`; exactly one call gets `cancelled`. `absent`: unknown or already cancelled.
   */
  cancelJob(appId: string, jobId: string, nowMs: number): Promise<'cancelled' | 'dispatched' | 'absent'>;

  /** Adds those that are new. */
  putDeferred(items: readonly DeferredItem[]): Promise<void>;
  dueDeferred(nowMs: number, limit: number): Promise<DeferredItem[]>;
  removeDeferred(ids: readonly string[]): Promise<void>;

  /** True: it is the owner's until then. */
  lock(appId: string, lockId: string, owner: string, nowMs: number, untilMs: number): Promise<boolean>;
  unlock(appId: string, lockId: string, owner: string): Promise<void>;
  /** True: the row is new, or the one there was has expired. */
  remember(appId: string, key: string, nowMs: number, untilMs: number): Promise<boolean>;
  /** Like `remember` for many keys, at most 1000; resolves with those for which it is true. */
  rememberAll(
    appId: string,
    keys: readonly string[],
    nowMs: number,
    untilMs: number,
  ): Promise<ReadonlySet<string>>;

  /** Adds to the used amount; resolves with false, without a change, if the sum would exceed the limit. */
  useQuota(appId: string, day: string, amount: number, limit: number): Promise<boolean>;

  /**
   * Returns the value of that name, which all processes share and which never changes. If none exists, stores
   * `proposed` and returns it, or returns null where `proposed` is null.
   */
  installationValue(name: string, proposed: string | null): Promise<string | null>;

  beat(worker: WorkerRow): Promise<void>;
  workers(nowMs: number): Promise<WorkerRow[]>;
  /** It stopped. */
  leave(workerId: string): Promise<void>;

  /**
   * Publishes whose planning was not begun, or was begun and is not complete, where nothing happened since before that
   * and that do not wait for their time, of all apps.
   */
  forgottenPublishes(
    planning: 'begun' | 'queued',
    beforeMs: number,
    nowMs: number,
    limit: number,
  ): Promise<StoredPublish[]>;
  /** Unfinished deliveries of all apps, untouched since `untouchedMs` and without a lease since `freeMs`. */
  forgottenClaims(
    since: { readonly untouchedMs: number; readonly freeMs: number },
    limit: number,
  ): Promise<Claim[]>;
  /** Publishes that are not over and where nothing happened since then, of all apps. */
  stalePublishes(beforeMs: number, limit: number): Promise<StoredPublish[]>;
  /** Touches deliveries, so that they no longer count as forgotten. */
  touchClaims(appId: string, publishId: string, keys: readonly string[], nowMs: number): Promise<void>;

  /**
   * Removes at most `limit` older rows of all apps; resolves with their number. A publish is removed with its
   * dependent rows.
   */
  purge(category: PurgeCategory, beforeMs: number, limit: number): Promise<number>;
  /** Removes devices that failed for good and were last active before, with their subscriptions; how many, by app. */
  removeStaleDevices(beforeMs: number, limit: number): Promise<ReadonlyMap<string, number>>;
}

/** Counts for operators. May scan a table: to be called occasionally. */
export interface CountStore {
  /** Devices of all apps, by app and state; the first 10 000 of these. */
  countDevices(): Promise<readonly DeviceCount[]>;
  /** Scheduled jobs of all apps whose time has come, and others; each counted up to `most`. */
  countJobs(nowMs: number, most: number): Promise<{ readonly due: number; readonly waiting: number }>;
  /** Amount added by `useQuota`. */
  quotaUsed(appId: string, day: string): Promise<number>;
}

export interface DeviceCount {
  readonly appId: string;
  readonly state: DeviceState;
  readonly count: number;
}

/** `idempotency`, `locks` and `workers` go by when they expired. */
export const PURGE_CATEGORIES = [
  'publishes',
  'deliveryEvents',
  'operatorEvents',
  'deadLetters',
  'idempotency',
  'locks',
  'workers',
] as const;

export type PurgeCategory = (typeof PURGE_CATEGORIES)[number];

import type {
  DeviceState,
  OperatorEvent,
  StoredCredential,
  StoredDevice,
  StoredSubscription,
  StoredTemplate,
  Subscriber,
} from './model/resources.js';
import type {
  Admission,
  Claim,
  ClaimStep,
  DeferredItem,
  DeliveryEvent,
  IdempotencyRow,
  PublishChange,
  PublishLog,
  ScheduledJob,
  StoredDeadLetter,
  StoredPublish,
  StoredShard,
  WorkerRow,
} from './model/publishes.js';

/**
 * Where push keeps everything. Every driver promises:
 *
 * - What resolved is kept (unless the driver is `memory`) and seen by every process.
 * - A method is one step: it happens whole or not at all, and two of one row happen one after the other. Functions
 *   given to it (`decide`) are called inside of that step, may be called again when it has to be repeated, and must not
 *   wait.
 * - Ids are told apart byte by byte. Lists ascend by their key and go on after `after`, so that what comes and goes in
 *   between moves nothing; `after` null begins. They have at most `limit` items, 1 to 1000 unless said otherwise.
 * - It does not know the time: whoever calls says it.
 * - Sealed text is not looked into.
 * - Rejects with `PushStoreUnavailable` when it cannot be asked; whether a change happened is then unknown, and each may
 *   be made again.
 */
export interface PushStore extends ResourceStore, PublishStore, UpkeepStore, CountStore {
  /** As configured. */
  readonly driver: string;
  /** Whether it outlives the process. */
  readonly durable: boolean;
  connect(): Promise<void>;
  /** Rejects when the store does not answer. */
  health(): Promise<void>;
  /** Idempotent, never rejects. */
  close(): Promise<void>;
}

export type DeviceFilter = Readonly<Partial<Record<'clientId' | 'deviceId', string>>>;
export type ClaimFilter = Readonly<{ provider: string } & Partial<Record<'batchId' | 'deviceId', string>>>;
export type SubscriptionFilter = Readonly<Partial<Record<'channel' | 'deviceId', string>>>;

/** The app of everything is the first argument. */
export interface ResourceStore {
  credential(appId: string, credentialId: string): Promise<StoredCredential | null>;
  /** That of the provider which was changed last. */
  latestCredential(appId: string, provider: string): Promise<StoredCredential | null>;
  credentials(appId: string, after: string | null, limit: number): Promise<StoredCredential[]>;
  /** Of all apps. */
  allCredentials(after: readonly [string, string] | null, limit: number): Promise<StoredCredential[]>;
  /** False: the stored version is not `expected` (null: there is none), and nothing changed. With it the event. */
  putCredential(
    row: StoredCredential,
    expected: number | null,
    event: OperatorEvent | null,
  ): Promise<boolean>;

  template(appId: string, templateId: string): Promise<StoredTemplate | null>;
  templates(appId: string, after: string | null, limit: number): Promise<StoredTemplate[]>;
  /** Keeps the time at which an earlier one was created. */
  putTemplate(row: StoredTemplate): Promise<void>;
  removeTemplate(appId: string, templateId: string): Promise<void>;

  device(appId: string, deviceId: string): Promise<StoredDevice | null>;
  /** Those of them that exist, in no order; at most 1000 ids. */
  devicesOf(appId: string, deviceIds: readonly string[]): Promise<StoredDevice[]>;
  devices(appId: string, filter: DeviceFilter, after: string | null, limit: number): Promise<StoredDevice[]>;
  /**
   * Makes of a device what `decide` makes of it; null leaves it as it is. When the token changes, the provider and hash
   * of its subscriptions change with it. An error of `decide` changes nothing and is rethrown.
   */
  changeDevice(
    appId: string,
    deviceId: string,
    decide: (existing: StoredDevice | null) => StoredDevice | null,
  ): Promise<void>;
  /** With their subscriptions; how many devices it were. */
  removeDevices(appId: string, filter: DeviceFilter): Promise<number>;
  /** Removes a device that still has this token, with its subscriptions. */
  removeDeadDevice(
    appId: string,
    deviceId: string,
    tokenHash: string,
    event: OperatorEvent,
  ): Promise<boolean>;
  /** Devices of a client that are not `FAILED`, by provider; each counted up to `most`. */
  countClient(appId: string, clientId: string, most: number): Promise<ReadonlyMap<string, number>>;

  putSubscription(row: StoredSubscription): Promise<void>;
  /** Neither filter empty: that of the pair. How many it were. */
  removeSubscriptions(appId: string, filter: SubscriptionFilter): Promise<number>;
  subscriptions(
    appId: string,
    filter: SubscriptionFilter,
    after: readonly [string, string] | null,
    limit: number,
  ): Promise<StoredSubscription[]>;
  channels(appId: string, after: string | null, limit: number): Promise<string[]>;
  /** Devices that a channel reaches by providers, `FAILED` ones left out, each counted up to `most`; a device once. */
  countChannel(appId: string, channel: string, most: number): Promise<ReadonlyMap<string, number>>;
  subscribers(appId: string, channel: string, after: string | null, limit: number): Promise<Subscriber[]>;

  /** At or after that time, oldest first. */
  operatorEvents(sinceMs: number, limit: number): Promise<OperatorEvent[]>;
}

export interface PublishStore {
  /** Null: it is accepted. Else there is one of this id already, or of one of the keys, and nothing changed. */
  admit(admission: Admission): Promise<StoredPublish | null>;
  /** Takes back what could not be worked on; only while it is `queued`. */
  withdraw(appId: string, publishId: string): Promise<void>;
  /** Those that have not expired. */
  idempotency(appId: string, keys: readonly string[], nowMs: number): Promise<IdempotencyRow[]>;
  publish(appId: string, publishId: string): Promise<StoredPublish | null>;
  log(appId: string, publishId: string): Promise<PublishLog | null>;
  /** Publishes that are not over and not waiting for their time, counted up to `most`. */
  countActive(appId: string, nowMs: number, most: number): Promise<number>;

  /**
   * Takes the steps that can be taken, then lets `decide` say what becomes of the publish, given the keys of the steps
   * taken; null changes nothing more. Events that are there already are left as they are. Resolves with the claims of
   * all the steps as they are then, or null when there is no such publish.
   */
  changePublish(
    appId: string,
    publishId: string,
    steps: readonly ClaimStep[],
    decide: (publish: StoredPublish, taken: ReadonlySet<string>) => PublishChange | null,
  ): Promise<readonly Claim[] | null>;

  /** Adds those that are new, at most 1000; resolves with the keys that are `planned` then: their work has to be given out. */
  plan(appId: string, publishId: string, claims: readonly Claim[]): Promise<ReadonlySet<string>>;
  countClaims(appId: string, publishId: string): Promise<number>;
  /**
   * Takes for sending what is `planned` or waits for that attempt, or what somebody is sending whose lease is over;
   * resolves with the keys that are the caller's until the lease ends.
   */
  takeForSending(
    appId: string,
    publishId: string,
    jobs: readonly { readonly deliveryKey: string; readonly attempt: number }[],
    lease: { readonly owner: string; readonly nowMs: number; readonly untilMs: number },
  ): Promise<ReadonlySet<string>>;
  /** Whether somebody is sending any of those attempts and has time left for it. */
  isBeingSent(
    appId: string,
    publishId: string,
    jobs: readonly { readonly deliveryKey: string; readonly attempt: number }[],
    nowMs: number,
  ): Promise<boolean>;
  /** Gives back what was taken and not sent. */
  giveBack(
    appId: string,
    publishId: string,
    keys: readonly string[],
    owner: string,
    nowMs: number,
  ): Promise<void>;
  /** Deliveries by a provider, of one device or one batch where that is said; those that are not done come first. */
  claimsLike(appId: string, publishId: string, which: ClaimFilter, limit: number): Promise<Claim[]>;
  claim(appId: string, publishId: string, deliveryKey: string): Promise<Claim | null>;
  /** Those that are not done, by key. */
  openClaims(appId: string, publishId: string, after: string | null, limit: number): Promise<Claim[]>;

  /** Adds those that are new. */
  putShards(shards: readonly StoredShard[]): Promise<void>;
  shard(appId: string, publishId: string, shardId: string): Promise<StoredShard | null>;
  changeShard(shard: StoredShard): Promise<void>;
  /** Those that are not complete, by id. */
  openShards(appId: string, publishId: string, after: string | null, limit: number): Promise<StoredShard[]>;

  hasEvent(appId: string, publishId: string, eventId: string): Promise<boolean>;
  /** False: it was there. */
  putEvent(event: DeliveryEvent): Promise<boolean>;
  /** How often each outcome of each provider was recorded for an app in `[fromMs, toMs)`. */
  countEvents(
    appId: string,
    fromMs: number,
    toMs: number,
  ): Promise<readonly { provider: string; outcome: string; count: number }[]>;

  /** Adds it unless it is there. */
  putDeadLetter(row: StoredDeadLetter): Promise<void>;
  deadLetter(appId: string, deadLetterId: string): Promise<StoredDeadLetter | null>;
  deadLetters(
    appId: string,
    filter: { readonly provider?: string; readonly sinceMs?: number; readonly untilMs?: number },
    after: readonly [number, string] | null,
    limit: number,
  ): Promise<StoredDeadLetter[]>;
  /** Those that were not replayed and can be, of all apps, counted up to `most`. */
  countDeadLetters(most: number): Promise<number>;
  /**
   * Marks it replayed, starts its delivery anew (null: it had none), and changes the publish, all or nothing. False: it
   * was replayed already.
   */
  replay(
    row: StoredDeadLetter,
    deliveryKey: string | null,
    nowMs: number,
    decide: (publish: StoredPublish) => StoredPublish,
  ): Promise<boolean>;
}

export interface UpkeepStore {
  /** Due by then, of all apps. */
  dueJobs(nowMs: number, limit: number): Promise<ScheduledJob[]>;
  removeJob(appId: string, jobId: string): Promise<void>;
  /** Cancels what is still `queued`, of which one call is told; `absent`: there is nothing to cancel, or no more. */
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

  /** Adds to what was used; false, and nothing is added, when the sum would be above the limit. */
  useQuota(appId: string, day: string, amount: number, limit: number): Promise<boolean>;

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
  /**
   * Deliveries that are not done, untouched since before `untouchedMs` and in nobody's hands since before `freeMs`, of all
   * apps.
   */
  forgottenClaims(
    since: { readonly untouchedMs: number; readonly freeMs: number },
    limit: number,
  ): Promise<Claim[]>;
  /** Publishes that are not over and where nothing happened since then, of all apps. */
  stalePublishes(beforeMs: number, limit: number): Promise<StoredPublish[]>;
  /** Touches a delivery, so that it is not forgotten any more. */
  touchClaims(appId: string, publishId: string, keys: readonly string[], nowMs: number): Promise<void>;

  /** Removes what is older, of all apps, at most `limit`; how many it were. A publish goes with all that belongs to it. */
  purge(category: PurgeCategory, beforeMs: number, limit: number): Promise<number>;
  /** Removes devices that failed for good and were last active before, with their subscriptions; how many, by app. */
  removeStaleDevices(beforeMs: number, limit: number): Promise<ReadonlyMap<string, number>>;
}

/** How much there is, for whoever looks after it. May read a table whole: to be asked now and then. */
export interface CountStore {
  /** Devices of all apps, by app and state; the first 10 000 of these. */
  countDevices(): Promise<readonly DeviceCount[]>;
  /** Scheduled jobs of all apps whose time has come, and others; each counted up to `most`. */
  countJobs(nowMs: number, most: number): Promise<{ readonly due: number; readonly waiting: number }>;
  /** What `useQuota` added up. */
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

/** The store cannot be asked. */
export class PushStoreUnavailable extends Error {
  override readonly name = 'PushStoreUnavailable';
}

import type {
  Admission,
  Claim,
  ClaimStep,
  DeliveryEvent,
  IdempotencyRow,
  PublishChange,
  PublishLog,
  StoredDeadLetter,
  StoredPublish,
  StoredShard,
} from '../model/publishes.js';

export type ClaimFilter = Readonly<{ provider: string } & Partial<Record<'batchId' | 'deviceId', string>>>;

/** A lease on deliveries for the time that sending them takes. */
export interface SendLease {
  readonly owner: string;
  readonly nowMs: number;
  readonly untilMs: number;
  /** Leases of others that end later than this still count; absent: those that end later than `nowMs`. */
  readonly lapsedMs?: number;
}

/** `mostSteps` of drivers without a limit of their own. */
export const MAX_STEPS = 1000;

/** Publishes and their deliveries. */
export interface PublishStore {
  /** Steps of one `changePublish`; more are rejected with a `RangeError`. */
  readonly mostSteps: number;
  /** Null: it is accepted. Else there is one of this id already, or of one of the keys, and nothing changed. */
  admit(admission: Admission): Promise<StoredPublish | null>;
  /** Removes a publish that could not be processed; only while it is `queued`. */
  withdraw(appId: string, publishId: string): Promise<void>;
  /** Returns the keys that have not expired. */
  idempotency(appId: string, keys: readonly string[], nowMs: number): Promise<IdempotencyRow[]>;
  publish(appId: string, publishId: string): Promise<StoredPublish | null>;
  log(appId: string, publishId: string): Promise<PublishLog | null>;
  /** Publishes that are not over and not waiting for their time, counted up to `most`. */
  countActive(appId: string, nowMs: number, most: number): Promise<number>;

  /**
   * Applies the possible steps, at most `mostSteps`, then calls `decide` with the keys of the applied steps to
   * determine the publish; null changes nothing more. Existing events are kept. Resolves with the resulting claims of
   * all steps, or null if the publish does not exist.
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
   * Claims deliveries for sending that are `planned`, wait for that attempt, or have an expired lease; resolves with
   * the keys claimed by the caller until the lease ends.
   */
  takeForSending(
    appId: string,
    publishId: string,
    jobs: readonly { readonly deliveryKey: string; readonly attempt: number }[],
    lease: SendLease,
  ): Promise<ReadonlySet<string>>;
  /** Whether a sender holds an unexpired lease on any of those attempts. */
  isBeingSent(
    appId: string,
    publishId: string,
    jobs: readonly { readonly deliveryKey: string; readonly attempt: number }[],
    nowMs: number,
  ): Promise<boolean>;
  /** Releases claims that were not sent. */
  giveBack(
    appId: string,
    publishId: string,
    keys: readonly string[],
    owner: string,
    nowMs: number,
  ): Promise<void>;
  /** Deliveries by a provider, optionally of one device or batch; unfinished ones come first. */
  claimsLike(appId: string, publishId: string, which: ClaimFilter, limit: number): Promise<Claim[]>;
  claim(appId: string, publishId: string, deliveryKey: string): Promise<Claim | null>;
  /** Unfinished claims by key. */
  openClaims(appId: string, publishId: string, after: string | null, limit: number): Promise<Claim[]>;

  /** Adds those that are new. */
  putShards(shards: readonly StoredShard[]): Promise<void>;
  shard(appId: string, publishId: string, shardId: string): Promise<StoredShard | null>;
  changeShard(shard: StoredShard): Promise<void>;
  /** Incomplete shards by id. */
  openShards(appId: string, publishId: string, after: string | null, limit: number): Promise<StoredShard[]>;

  hasEvent(appId: string, publishId: string, eventId: string): Promise<boolean>;
  /** False: it was there. */
  putEvent(event: DeliveryEvent): Promise<boolean>;
  /** Number of events by provider and outcome for an app in `[fromMs, toMs)`. */
  countEvents(
    appId: string,
    fromMs: number,
    toMs: number,
  ): Promise<readonly { provider: string; outcome: string; count: number }[]>;

  /** Adds it unless it exists. */
  putDeadLetter(row: StoredDeadLetter): Promise<void>;
  deadLetter(appId: string, deadLetterId: string): Promise<StoredDeadLetter | null>;
  deadLetters(
    appId: string,
    filter: { readonly provider?: string; readonly sinceMs?: number; readonly untilMs?: number },
    after: readonly [number, string] | null,
    limit: number,
  ): Promise<StoredDeadLetter[]>;
  /** Number of replayable dead letters of all apps, counted up to `most`. */
  countDeadLetters(most: number): Promise<number>;
  /**
   * Atomically marks a dead letter as replayed, resets its delivery (null: none), and changes the publish. Resolves
   * with false if it was replayed already.
   */
  replay(
    row: StoredDeadLetter,
    deliveryKey: string | null,
    nowMs: number,
    decide: (publish: StoredPublish) => StoredPublish,
  ): Promise<boolean>;
}

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

/** `mostSteps` of drivers that have no limit of their own. */
export const MOST_STEPS = 1000;

/** What is to be sent, and what became of it. */
export interface PublishStore {
  /** Steps of one `changePublish`; more are rejected with a `RangeError`. */
  readonly mostSteps: number;
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
   * Takes the steps that can be taken, at most `mostSteps`, then lets `decide` say what becomes of the publish, given the keys of the steps
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
    lease: SendLease,
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

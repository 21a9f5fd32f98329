const PUBLISH_STATES = [
  'queued',
  'planning',
  'throttled',
  'dispatching',
  'cancelled',
  'expired',
  'failed',
  'succeeded',
  'partiallySucceeded',
  'quota_exceeded',
  'dead_lettered',
] as const;

export type PublishState = (typeof PUBLISH_STATES)[number];

/** A publish that is not in one of these is over. */
export const ACTIVE_STATES = ['queued', 'planning', 'throttled', 'dispatching'] as const;

const ACTIVE: readonly string[] = ACTIVE_STATES;

export const OVER_STATES = PUBLISH_STATES.filter((state) => !ACTIVE.includes(state));

export type Counter =
  | 'planned'
  | 'dispatched'
  | 'succeeded'
  | 'failed'
  | 'expired'
  | 'retryScheduled'
  | 'retryAttempted'
  | 'deadLettered';

export type Counters = Readonly<Record<Counter, number>>;

export interface StoredPublish {
  readonly appId: string;
  readonly publishId: string;
  readonly state: PublishState;
  readonly counters: Counters;
  /** Whether `planned` is the number of deliveries; before, it is the expected number. */
  readonly planningComplete: boolean;
  readonly fanoutRegime: 'fastPath' | 'shardPath' | null;
  readonly retryAfterMs: number | null;
  readonly errorReason: string | null;
  readonly createdMs: number;
  readonly updatedMs: number;
}

/** Whether the publish is not over. */
export const isActive = ({ state }: Pick<StoredPublish, 'state'>): boolean => ACTIVE.includes(state);

/** Whether planning was not begun, or was begun and is not complete. */
export const isUnplanned = (publish: StoredPublish, planning: 'begun' | 'queued'): boolean =>
  planning === 'queued'
    ? publish.state === 'queued'
    : isActive(publish) && publish.state !== 'queued' && !publish.planningComplete;

/** Content of a publish as admitted: the only input of planning and dispatch. */
export interface PublishLog {
  readonly appId: string;
  readonly publishId: string;
  readonly eventId: string;
  readonly occurredMs: number;
  /** Sealed, or JSON where there is no master key. */
  readonly targets: string;
  /** JSON: payload by provider. */
  readonly rendered: string;
  readonly notBeforeMs: number | null;
  readonly expiresAtMs: number | null;
  readonly expected: number;
  readonly fastThreshold: number;
  readonly shardSize: number;
}

export interface IdempotencyRow {
  readonly key: string;
  readonly publishId: string | null;
  /** Null: any body is the same. */
  readonly bodyHash: string | null;
  readonly expiresMs: number;
}

/** All that is written when a publish is accepted. */
export interface Admission {
  readonly publish: StoredPublish;
  /** Null: there is no work, the publish is over already. */
  readonly log: PublishLog | null;
  readonly idempotency: readonly IdempotencyRow[];
  /** When the scheduler has to look at it; null: it is not delayed. */
  readonly dueMs: number | null;
}

export interface StoredShard {
  readonly appId: string;
  readonly publishId: string;
  readonly shardId: string;
  readonly chain: number;
  /** JSON. */
  readonly body: string;
  readonly status: 'pending' | 'complete';
  readonly emitted: number;
  readonly updatedMs: number;
}

export type DeliveryState = 'planned' | 'sending' | 'retry' | 'done';
export type DeliveryOutcome = 'accepted' | 'rejected' | 'expired' | 'cancelled' | 'dead_lettered';

/** One delivery of a publish: the authoritative record of whether it was sent. */
export interface Claim {
  readonly appId: string;
  readonly publishId: string;
  /** Derived from app, publish, provider and token. */
  readonly deliveryKey: string;
  readonly provider: string;
  /** Null: it is not a registered device that it goes to. */
  readonly deviceId: string | null;
  readonly batchId: string;
  readonly state: DeliveryState;
  readonly attempt: number;
  /** When it was taken for its first attempt; null: it never was, or by a process that did not keep it. */
  readonly firstAttemptMs: number | null;
  /** End of the lease of its sender, or of the wait for its next attempt. Null: free. */
  readonly leaseUntilMs: number | null;
  /** Null unless done. */
  readonly outcome: DeliveryOutcome | null;
  readonly updatedMs: number;
}

/** A step of a delivery. It is taken only from `from` with this attempt; `open` is any state but done. */
export interface ClaimStep {
  readonly deliveryKey: string;
  readonly from: 'sending' | 'retry' | 'open';
  readonly attempt: number;
  readonly to:
    | { readonly state: 'done'; readonly outcome: DeliveryOutcome }
    | {
        readonly state: 'retry';
        readonly attempt: number;
        /** When that attempt is due, at the latest. */
        readonly dueMs: number;
      };
}

export interface DeliveryEvent {
  readonly appId: string;
  readonly publishId: string;
  readonly eventId: string;
  readonly occurredMs: number;
  readonly provider: string;
  readonly outcome: string;
  /** JSON. */
  readonly result: string;
}

export interface StoredDeadLetter {
  readonly appId: string;
  readonly deadLetterId: string;
  readonly publishId: string;
  readonly provider: string | null;
  readonly stage: string;
  readonly itemKey: string;
  readonly reason: string;
  readonly occurredMs: number;
  /** Item to enqueue on replay; null: not replayable. Encrypted, or JSON without a master key. */
  readonly item: string | null;
  readonly replayedMs: number | null;
  readonly replayCount: number;
}

/** Result of a change of a publish. */
export interface PublishChange {
  readonly publish: StoredPublish;
  readonly events?: readonly DeliveryEvent[];
  readonly deadLetters?: readonly StoredDeadLetter[];
}

export interface ScheduledJob {
  readonly appId: string;
  readonly jobId: string;
  readonly dueMs: number;
}

/** An item whose time has not come, for queues that cannot wait. */
export interface DeferredItem {
  readonly id: string;
  readonly queue: string;
  readonly dueMs: number;
  /** Sealed, or JSON where there is no master key. */
  readonly envelope: string;
}

export interface WorkerRow {
  readonly workerId: string;
  readonly stages: readonly string[];
  readonly providers: readonly string[];
  /** Providers whose credential the settings of that process have. */
  readonly credentials: readonly string[];
  readonly expiresMs: number;
}

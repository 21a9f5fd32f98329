import {
  type Audience,
  type ErrorClass,
  FAILURE_CLASSES,
  type FailureClass,
  isObject,
  type JsonObject,
  type Provider,
  PROVIDERS,
} from '@carillon/push-providers';

/** One delivery in a batch. */
export interface DeliveryJob {
  readonly deliveryKey: string;
  readonly attempt: number;
  /** Null: it is the first. */
  readonly firstAttemptAtMs: number | null;
  /** Null: it goes to the recipient or the audience given here. */
  readonly deviceId: string | null;
  /** Sealed, or JSON where there is no master key. */
  readonly recipient: string | null;
  readonly audience: Audience | null;
}

export interface DeliveryBatch {
  readonly appId: string;
  readonly publishId: string;
  readonly provider: Provider;
  readonly batchId: string;
  readonly rendered: JsonObject;
  readonly expiresAtMs: number | null;
  readonly jobs: readonly DeliveryJob[];
}

/** Result of one delivery. */
export interface Feedback {
  readonly appId: string;
  readonly publishId: string;
  readonly provider: Provider;
  readonly batchId: string;
  readonly outcome: 'accepted' | 'rejected' | 'retryable' | 'expired' | 'cancelled';
  readonly providerMessageId: string | null;
  readonly errorClass: ErrorClass | null;
  readonly failureClass: FailureClass | null;
  readonly reason: string | null;
  readonly retryAtMs: number | null;
  readonly minimumWaitMs: number;
  /** Hash of the target token; null: not a device's token. */
  readonly tokenHash: string | null;
  readonly dryRun: boolean;
  /** Reported by an external service: counts regardless of the current sender. */
  readonly told: boolean;
  readonly expiresAtMs: number | null;
  readonly rendered: JsonObject;
  readonly job: DeliveryJob;
}

export interface RetryEntry {
  readonly appId: string;
  readonly publishId: string;
  readonly provider: Provider;
  readonly batchId: string;
  /** With the number of the attempt that is due. */
  readonly job: DeliveryJob;
  readonly firstAttemptAtMs: number;
  readonly nextAttemptAtMs: number;
  readonly maxAttempts: number;
  readonly expiresAtMs: number | null;
  readonly rendered: JsonObject;
  readonly retryKey: string;
}

export interface ShardJob {
  readonly appId: string;
  readonly publishId: string;
  readonly shardId: string;
  readonly targetIndex: number;
  readonly shardIndex: number;
  readonly shardCount: number;
  readonly chain: number;
  /** The last device that is done; null: none is. */
  readonly cursor: string | null;
}

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const number = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;
const providerOf = (value: unknown): Provider | null => PROVIDERS.find((one) => one === value) ?? null;

/** The publish an item is about; null: it is malformed. */
export function publishNamed(payload: JsonObject): { appId: string; publishId: string } | null {
  const [appId, publishId] = [text(payload['appId']), text(payload['publishId'])];
  return appId === null || publishId === null ? null : { appId, publishId };
}

function readJob(value: unknown): DeliveryJob | null {
  if (!isObject(value)) return null;
  const { deliveryKey, attempt, audience } = value;
  if (typeof deliveryKey !== 'string' || typeof attempt !== 'number') return null;
  return {
    deliveryKey,
    attempt,
    firstAttemptAtMs: number(value['firstAttemptAtMs']),
    deviceId: text(value['deviceId']),
    recipient: text(value['recipient']),
    audience: isObject(audience) ? (audience as Audience) : null,
  };
}

function readCommon(payload: JsonObject) {
  const named = publishNamed(payload);
  const provider = providerOf(payload['provider']);
  const batchId = text(payload['batchId']);
  const { rendered } = payload;
  if (named === null || provider === null || batchId === null || !isObject(rendered)) return null;
  return { ...named, provider, batchId, rendered, expiresAtMs: number(payload['expiresAtMs']) };
}

export function readBatch(payload: JsonObject): DeliveryBatch | null {
  const common = readCommon(payload);
  const { jobs } = payload;
  if (common === null || !Array.isArray(jobs)) return null;
  const read = jobs.map(readJob);
  return read.includes(null) ? null : { ...common, jobs: read.filter((job) => job !== null) };
}

const OUTCOMES = ['accepted', 'rejected', 'retryable', 'expired', 'cancelled'] as const;

/** Reads the results of a queue item, which holds one or many; null: it is malformed. */
export function readResults(payload: JsonObject): readonly Feedback[] | null {
  const common = readCommon(payload);
  if (common === null) return null;
  const { results, dryRun } = payload;
  const entries: unknown[] = Array.isArray(results) ? results : [payload];
  const read = entries.map((entry) => (isObject(entry) ? readResult(common, { dryRun, ...entry }) : null));
  return read.length === 0 || read.includes(null) ? null : read.filter((one) => one !== null);
}

function readResult(common: NonNullable<ReturnType<typeof readCommon>>, entry: JsonObject): Feedback | null {
  const job = readJob(entry['job']);
  const outcome = OUTCOMES.find((one) => one === entry['outcome']);
  if (job === null || outcome === undefined) return null;
  return {
    ...common,
    job,
    outcome,
    providerMessageId: text(entry['providerMessageId']),
    errorClass: text(entry['errorClass']) as ErrorClass | null,
    failureClass: FAILURE_CLASSES.find((one) => one === entry['failureClass']) ?? null,
    reason: text(entry['reason']),
    retryAtMs: number(entry['retryAtMs']),
    minimumWaitMs: number(entry['minimumWaitMs']) ?? 0,
    tokenHash: text(entry['tokenHash']),
    dryRun: entry['dryRun'] === true,
    told: entry['told'] === true,
  };
}

export function readRetry(payload: JsonObject): RetryEntry | null {
  const common = readCommon(payload);
  const job = readJob(payload['job']);
  const retryKey = text(payload['retryKey']);
  const times = ['firstAttemptAtMs', 'nextAttemptAtMs', 'maxAttempts'].map((name) => number(payload[name]));
  const [firstAttemptAtMs = null, nextAttemptAtMs = null, maxAttempts = null] = times;
  if (common === null || job === null || retryKey === null) return null;
  if (firstAttemptAtMs === null || nextAttemptAtMs === null || maxAttempts === null) return null;
  return { ...common, job, retryKey, firstAttemptAtMs, nextAttemptAtMs, maxAttempts };
}

export function readShard(payload: JsonObject): ShardJob | null {
  const named = publishNamed(payload);
  const shardId = text(payload['shardId']);
  const numbers = ['targetIndex', 'shardIndex', 'shardCount', 'chain'].map((name) => number(payload[name]));
  const [targetIndex = null, shardIndex = null, shardCount = null, chain = null] = numbers;
  if (named === null || shardId === null || targetIndex === null || shardIndex === null) return null;
  if (shardCount === null || chain === null) return null;
  return { ...named, shardId, targetIndex, shardIndex, shardCount, chain, cursor: text(payload['cursor']) };
}

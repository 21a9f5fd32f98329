import { partitionedQueue, queueNames } from '@carillon/contracts';
import { currentTrace } from '@carillon/tracing';
import { isObject, type JsonObject, type Provider, PROVIDERS } from '@carillon/push-providers';
import { bucketOf, sha256 } from '../hash.js';

/** Queues of each stage and their number of partitions. */
const STAGES = {
  publish: { item: queueNames.pushPublish, partitions: 64 },
  shards: { item: queueNames.pushShards, partitions: 128 },
  results: { item: queueNames.pushResults, partitions: 128 },
  retry: { item: queueNames.pushRetry, partitions: 64 },
  deadLetters: { item: queueNames.pushDeadLetters, partitions: 32 },
  ...(Object.fromEntries(
    PROVIDERS.map((provider) => [provider, { item: queueNames.pushDelivery(provider), partitions: 256 }]),
  ) as Record<Provider, { item: string; partitions: number }>),
} as const;

export type Stage = keyof typeof STAGES;

/** Work for a stage, before it is in a queue. */
export interface NewItem {
  readonly stage: Stage;
  /** Deduplication key, where the queue supports it. */
  readonly key: string;
  readonly partitionKey: string;
  readonly payload: JsonObject;
  /** Earliest time; absent: at once. */
  readonly notBeforeMs?: number;
  /** Sets it apart from an earlier one of the same key. Absent: nothing does. */
  readonly suffix?: string;
}

/** Item as stored in a queue. */
export interface Item {
  readonly messageId: string;
  readonly key: string;
  readonly payload: JsonObject;
  /** W3C trace parent of the producer; absent: not traced. */
  readonly trace?: string;
}

export function messageIdOf({ stage, key, suffix = '' }: Pick<NewItem, 'stage' | 'key' | 'suffix'>): string {
  return `${sha256(STAGES[stage].item, key)}${suffix}`;
}

/** The queue of an item. */
export function queueOf({ stage, partitionKey }: NewItem, queueCount: number): string {
  return partitionedQueue(STAGES[stage].item, partitionOf(stage, partitionKey), queueCount);
}

const partitionOf = (stage: Stage, partitionKey: string): number =>
  bucketOf(sha256(partitionKey), STAGES[stage].partitions);

/** All queues of a stage. */
export function queuesOf(stage: Stage, queueCount: number): string[] {
  const { item } = STAGES[stage];
  return Array.from({ length: queueCount }, (_, index) => partitionedQueue(item, index, queueCount));
}

export function encodeItem(item: NewItem): string {
  const { stage, key, partitionKey, payload, notBeforeMs = null } = item;
  return JSON.stringify({
    v: 1,
    messageId: messageIdOf(item),
    stage: STAGES[stage].item,
    key,
    partitionKey,
    partition: partitionOf(stage, partitionKey),
    notBeforeMs,
    payload,
    trace: currentTrace(),
  });
}

/** Null: it cannot be read. Members that are not known are left alone. */
export function decodeItem(text: string): Item | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isObject(value) || value['v'] !== 1) return null;
  const { messageId, key, payload, trace } = value;
  if (typeof messageId !== 'string' || typeof key !== 'string' || !isObject(payload)) return null;
  return { messageId, key, payload, ...(typeof trace === 'string' ? { trace } : {}) };
}

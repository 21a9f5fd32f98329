import type { RowKey } from '@carillon/records';
import { FOREVER_MS } from '../model/calendar.js';
import { keyText, serialText } from './keys.js';

/**
 * Index partitions over all streams. An entry is written before the commit that needs it, and only means that a
 * stream may be relevant: readers check the head. A superfluous entry costs a read; none is ever missing.
 */
export interface Hint extends RowKey {
  readonly value: string;
  /** Deleted by the store after so long; null: readers delete it. */
  readonly expiresInMs: number | null;
}

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** Partitions of an index that lanes read. Lanes read one each if their number is a multiple of it. */
const LANE_BUCKETS = 16;
/** Partitions of an index that purges read. */
export const STREAM_BUCKETS = 64;

/** Time after which an unused stream is visited. */
export const UNUSED_MS = 30 * DAY_MS;

/** Longest time of a commit after it registered its entry; purges ignore younger entries. */
export const SETTLED_MS = MINUTE_MS;

/** The buckets in which a lane finds its streams. */
export function bucketsOfLane(lane: number, lanes: number): number[] {
  const common = greatestCommonDivisor(lanes, LANE_BUCKETS);
  return Array.from({ length: LANE_BUCKETS }, (_, bucket) => bucket).filter(
    (bucket) => bucket % common === lane % common,
  );
}

const greatestCommonDivisor = (one: number, other: number): number =>
  other === 0 ? one : greatestCommonDivisor(other, one % other);

const streamBucket = (streamKey: string): number => Number(BigInt(streamKey) % BigInt(STREAM_BUCKETS));

/** Streams that have a receipt in a time slot, by the time of the slot and route. */
const SLOT_MS = 10 * MINUTE_MS;
/** A writer looks back no further than this for records that were not handed over. */
export const RECENT_MS = 2 * DAY_MS;

export const slotOf = (atMs: number): number => Math.floor(atMs / SLOT_MS);

export const recentPartition = (slot: number, bucket: number): string => `recent/${slot}/${bucket}`;

export const recentHint = (streamKey: string, route: number, slot: number): Hint => ({
  partition: recentPartition(slot, route % LANE_BUCKETS),
  sort: keyText(streamKey),
  value: String(route),
  expiresInMs: RECENT_MS + DAY_MS,
});

/** Moments at which a purge looks at a stream. */
export const duePartition = (bucket: number): string => `due/${bucket}`;

/** Rounded up, so that moments of one minute need one entry. */
export const dueMoment = (atMs: number, nowMs: number): number =>
  Math.min(FOREVER_MS, Math.ceil(Math.max(atMs, nowMs + SETTLED_MS) / MINUTE_MS) * MINUTE_MS);

export const dueHint = (streamKey: string, dueMs: number): Hint => ({
  partition: duePartition(streamBucket(streamKey)),
  sort: `${serialText(dueMs)}/${keyText(streamKey)}`,
  value: '1',
  expiresInMs: null,
});

/** Streams with rows over their caps. */
export const cappedPartition = (bucket: number): string => `capped/${bucket}`;

/** A stream that is over its caps is registered again after so long. */
export const CAPPED_EVERY_MS = 30_000;

export const cappedHint = (streamKey: string): Hint => ({
  partition: cappedPartition(streamBucket(streamKey)),
  sort: keyText(streamKey),
  value: '1',
  expiresInMs: null,
});

/** Moments from which a message of a stream may be idle, in the buckets of lanes. */
export const openPartition = (bucket: number): string => `open/${bucket}`;

const OPEN_STEP_MS = 10_000;

export const openMoment = (atMs: number): number => Math.floor(atMs / OPEN_STEP_MS) * OPEN_STEP_MS;

export const openHint = (streamKey: string, route: number, atMs: number): Hint => ({
  partition: openPartition(route % LANE_BUCKETS),
  sort: `${serialText(openMoment(atMs))}/${keyText(streamKey)}`,
  value: String(route),
  expiresInMs: null,
});

/** Degraded message streams. The nonce distinguishes a new entry from one that a reader is about to delete. */
export const DEGRADED = 'degraded';

export const degradedHint = (streamKey: string, nonce: string, nowMs: number): Hint => ({
  partition: DEGRADED,
  sort: `${keyText(streamKey)}/${nonce}`,
  value: String(nowMs),
  expiresInMs: null,
});

/** Presence streams, in buckets that follow the order of their keys. */
export const therePartition = (bucket: number): string => `there/${bucket}`;

const KEY_BITS = 63n;
const BUCKET_BITS = 6n;

export const thereBucket = (streamKey: string): number =>
  Number(BigInt(streamKey) >> (KEY_BITS - BUCKET_BITS));

export const thereHint = (streamKey: string, nonce: string, nowMs: number): Hint => ({
  partition: therePartition(thereBucket(streamKey)),
  sort: `${keyText(streamKey)}/${nonce}`,
  value: String(nowMs),
  expiresInMs: null,
});

/** An entry that no head confirms is deleted when it is older than any commit. */
export const STALE_MS = 10 * MINUTE_MS;

import type { Claim, PublishLog, StoredPublish } from '../model/publishes.js';
import type { OwnedClaim } from '../model/steps.js';

const MINUTE_MS = 60_000;
const HIGH_SURROGATES = { first: 0xd800, last: 0xdbff } as const;
const BYTES_A_UNIT = 3;
/** In front of a part of a log: the number of parts. */
const COUNT_BYTES = 8;

/** The row of a publish, with the keys of its index entries. */
export interface Head {
  readonly publish: StoredPublish;
  /** Null: it does not wait for its time. */
  readonly notBeforeMs: number | null;
  /** Time of the entry in the index of live publishes that was written with it. */
  readonly liveMs: number;
  /** Time of its entry in the index of active publishes of its app. */
  readonly activeMs: number;
  /** Idempotency keys that point to it. */
  readonly keys: readonly string[];
  /** Number of the last hour for which its events are listed. */
  readonly eventHour: number | null;
}

export const headOf = (value: string): Head => JSON.parse(value) as Head;
export const headValue = (head: Head): string => JSON.stringify(head);

/** Without the members in its key. */
export function claimValue({
  appId: _app,
  publishId: _publish,
  deliveryKey: _key,
  ...rest
}: OwnedClaim): string {
  return JSON.stringify(rest);
}

export const claimOf = (
  value: string,
  { appId, publishId, deliveryKey }: Pick<Claim, 'appId' | 'publishId' | 'deliveryKey'>,
): OwnedClaim => ({
  appId,
  publishId,
  deliveryKey,
  ...(JSON.parse(value) as Omit<OwnedClaim, 'appId' | 'publishId' | 'deliveryKey'>),
});

/** A claim as callers see it: the owner of a lease is known to the store alone. */
export const publicClaim = ({ owner: _owner, ...claim }: OwnedClaim): Claim => claim;

/**
 * The earliest moment since which a claim that is not done may count as forgotten: its last change, or the time of its next
 * attempt.
 */
export const idleSinceMs = ({ state, updatedMs, leaseUntilMs }: Claim): number =>
  state === 'retry' ? Math.max(updatedMs, leaseUntilMs ?? 0) : updatedMs;

/** Index entries of one publish within a minute are one. */
export const minuteOf = (timeMs: number): number => Math.floor(timeMs / MINUTE_MS) * MINUTE_MS;

/** Whether a change of a claim needs an index entry: it is open, and was not or may be forgotten earlier than before. */
export const opens = (before: Claim | null, after: Claim): boolean =>
  after.state !== 'done' &&
  (before === null || before.state === 'done' || idleSinceMs(after) < idleSinceMs(before));

/** Splits a text into parts of at most `mostBytes` UTF-8 bytes. */
export function splitText(text: string, mostBytes: number): string[] {
  const length = Math.max(1, Math.floor(mostBytes / BYTES_A_UNIT));
  const parts: string[] = [];
  for (let from = 0; from < text.length;) {
    let to = Math.min(text.length, from + length);
    const last = text.charCodeAt(to - 1);
    // A character of two units stays whole.
    const isCut = to < text.length && last >= HIGH_SURROGATES.first && last <= HIGH_SURROGATES.last;
    if (isCut && to - from > 1) to -= 1;
    parts.push(text.slice(from, to));
    from = to;
  }
  return parts;
}

/** Each part contains their number: a reader may see some parts before others. */
export function logParts(log: PublishLog, mostBytes: number): string[] {
  const parts = splitText(JSON.stringify(log), mostBytes - COUNT_BYTES);
  return parts.map((part) => `${parts.length} ${part}`);
}

/** Null: some parts are missing. */
export function logOf(parts: readonly string[]): PublishLog | null {
  const count = Number(parts[0]?.split(' ', 1)[0]);
  if (parts.length !== count) return null;
  return JSON.parse(parts.map((part) => part.slice(part.indexOf(' ') + 1)).join('')) as PublishLog;
}

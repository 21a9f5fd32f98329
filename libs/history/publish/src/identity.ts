import { createHash } from 'node:crypto';
import { MAX_UNIQUE_MS } from '@carillon/broker';
import type { Publication, PublicationKey } from './publication.js';
import { uuidText } from './uuid-v7.js';

const DIGEST_BYTES = 16;
/** A process that dies in the middle of a publish holds its key for so long, until a retry can be taken up. */
const HELD_BY_THE_DEAD_MS = 10_000;

type Place = Pick<Publication, 'appId' | 'channel'>;

/** Hash under which an idempotency key of a durable channel is stored. Raw keys are never stored. */
export const scopeOf = (place: Place, { key }: PublicationKey): string => digest(place, key);

/** Repeats of a publish without an id of its own get the same id. */
export const idOf = (scope: string): string => uuidText(Buffer.from(scope, 'hex'));

/**
 * The id on the broker of an event with a key: the same for every try of one publish, by whichever process, and another
 * for other content, which is never taken for a copy.
 */
export const eventIdOf = (place: Place, { key, fingerprint }: PublicationKey): string =>
  idOf(digest(place, `${key}\0${fingerprint}`));

/**
 * Time in which an event with this key is deduplicated by receivers. Half the lifetime of the key: a later publish
 * under the same key is a new event and must not be dropped by a process that received the first one late. Null: too
 * short for any retry.
 */
export function uniqueForMs({ ttlMs }: PublicationKey): number | null {
  const halfMs = Math.floor(ttlMs / 2);
  return halfMs <= HELD_BY_THE_DEAD_MS ? null : Math.min(halfMs, MAX_UNIQUE_MS);
}

const digest = ({ appId, channel }: Place, rest: string): string =>
  createHash('sha256')
    .update(`${appId}\0${channel}\0${rest}`)
    .digest()
    .subarray(0, DIGEST_BYTES)
    .toString('hex');

import { createHash } from 'node:crypto';

/** Longest id that is read, in characters. */
const MAX_ID_LENGTH = 4096;
const VERSION = '1';
const DIGEST_LENGTH = 6;
const POSITION = /^([A-Za-z0-9_-]{6})([0-9a-z]{1,11})$/;
const STOP_MARK = /^!\d{4}$/;
/** Stream ids whose digests are kept. */
const MAX_DIGESTS = 10_000;

/** The part of an unfinished rewind. */
export const REWINDING = '~';
/** The part of a channel without a position. */
export const NO_POSITION = '';

/** The position of a channel as encoded in an id. */
export interface PartPosition {
  readonly streamDigest: string;
  readonly serial: number;
}

/** An id as a client sent it. */
export type ReceivedId =
  | { readonly kind: 'none' }
  | { readonly kind: 'stop' }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'other_list' }
  /** One part for each channel of the request, in order. */
  | { readonly kind: 'parts'; readonly parts: readonly string[] };

const digest = (text: string): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, DIGEST_LENGTH);

/** The digest of a list of channels: it only compares. */
export const listDigest = (channels: readonly string[]): string => digest(channels.join('\n'));

const streamDigests = new Map<string, string>();

/** The digest of a stream id. */
export function streamDigest(streamId: string): string {
  let found = streamDigests.get(streamId);
  if (found === undefined) {
    if (streamDigests.size >= MAX_DIGESTS) streamDigests.clear();
    found = digest(streamId);
    streamDigests.set(streamId, found);
  }
  return found;
}

/** The part of a channel whose messages up to a serial were sent. */
export const positionPart = (streamId: string, serial: number): string =>
  streamDigest(streamId) + serial.toString(36);

/** Returns the position of a part; null: it holds none. */
export function readPart(part: string): PartPosition | null {
  const found = POSITION.exec(part);
  if (found === null) return null;
  const serial = Number.parseInt(found[2] ?? '', 36);
  return Number.isSafeInteger(serial) ? { streamDigest: found[1] ?? '', serial } : null;
}

export const positionId = (list: string, parts: readonly string[]): string =>
  `${VERSION}.${list}.${parts.join('.')}`;

/** Returns the id after which a client must not reconnect. */
export const stopMark = (code: number): string => `!${code}`;

export const isStopMark = (id: string): boolean => STOP_MARK.test(id);

/** Parses an id with arbitrary client content; an empty text counts as absent. */
export function readPositionId(id: string, channels: readonly string[]): ReceivedId {
  if (id === '') return { kind: 'none' };
  if (isStopMark(id)) return { kind: 'stop' };
  if (!isPositionId(id)) return { kind: 'malformed' };
  const [, list, ...parts] = id.split('.');
  if (list !== listDigest(channels)) return { kind: 'other_list' };
  return parts.length === channels.length ? { kind: 'parts', parts } : { kind: 'malformed' };
}

const isPart = (part: string): boolean =>
  part === NO_POSITION || part === REWINDING || readPart(part) !== null;

/** Whether a text has the form of an id, for any list of channels. */
export function isPositionId(id: string): boolean {
  if (id.length > MAX_ID_LENGTH) return false;
  const [version, list, ...parts] = id.split('.');
  return (
    version === VERSION && /^[A-Za-z0-9_-]{6}$/.test(list ?? '') && parts.length > 0 && parts.every(isPart)
  );
}

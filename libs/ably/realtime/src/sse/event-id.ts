import { createHash } from 'node:crypto';
import type { Position } from '../position.js';

const VERSION = '1';
const DIGEST_CHARS = 6;
const MAX_ID_BYTES = 4096;
const STOP = /^!(\d{1,6})$/;
const PART = /^([\w-]{6})([0-9a-z]{1,11})$/;

/** The state of one channel in an id. `none`: it has no position; `rewinding`: its rewind was not complete. */
export type IdPart = Position | 'none' | 'rewinding';

const digestOf = (text: string): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, DIGEST_CHARS);

/** The digest of the names of a stream, which an id is valid for. */
export const listDigest = (names: readonly string[]): string => digestOf(names.join('\n'));

const digests = new Map<string, string>();
const MAX_DIGESTS = 4096;

/** The digest of a stream of a channel, computed once for each; a digest, which is shorter than any id, as it is. */
function streamDigest(streamId: string): string {
  if (streamId.length === DIGEST_CHARS) return streamId;
  const known = digests.get(streamId);
  if (known !== undefined) return known;
  if (digests.size >= MAX_DIGESTS) digests.clear();
  const digest = digestOf(streamId);
  digests.set(streamId, digest);
  return digest;
}

/** Whether a position that was read from an id is one of this stream: its `streamId` is the digest. */
export const isOfStream = ({ streamId: digest }: Position, streamId: string): boolean =>
  digest === streamDigest(streamId);

/** The id of an event: for each channel, in order, the position up to which everything was sent. */
export function encodeId(list: string, parts: readonly IdPart[]): string {
  let id = `${VERSION}.${list}`;
  for (const part of parts) {
    if (part === 'rewinding') id += '.~';
    else if (part === 'none') id += '.';
    else id += `.${streamDigest(part.streamId)}${part.serial.toString(36)}`;
  }
  return id;
}

/** Returns the code of a stop mark, after which the client must not reconnect; null: the id is not a stop mark. */
export const stopCode = (id: string): number | null => {
  const code = STOP.exec(id)?.[1];
  return code === undefined ? null : Number(code);
};

/** Positions of an id, whose `streamId` is a digest; null: the id is malformed or of another list of channels. */
export function decodeId(id: string, list: string, count: number): readonly IdPart[] | null {
  if (id.length > MAX_ID_BYTES) return null;
  const [version, digest, ...parts] = id.split('.');
  if (version !== VERSION || digest !== list || parts.length !== count) return null;
  const read = parts.map(readPart);
  return read.includes(null) ? null : (read as IdPart[]);
}

function readPart(text: string): IdPart | null {
  if (text === '') return 'none';
  if (text === '~') return 'rewinding';
  const [, streamId, serial] = PART.exec(text) ?? [];
  if (streamId === undefined || serial === undefined) return null;
  const value = parseInt(serial, 36);
  return Number.isSafeInteger(value) ? { streamId, serial: value } : null;
}

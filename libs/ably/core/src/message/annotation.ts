import { lackOf } from '@carillon/api-operations';
import { CompatError } from '../compat-error.js';
import { refusalOf } from '../refusal.js';
import { isObject, type JsonObject } from '../json.js';
import { type Identity, isGiven, type MessageRules, payloadOf, textOf } from './read-message.js';

/** An annotation of a message as a client makes it or takes it back, judged. Null: not given. */
export interface Annotation {
  readonly isDelete: boolean;
  readonly id: string | null;
  /** For a delete, the serial of the annotation; null: the latest matching one. */
  readonly serial: string | null;
  readonly messageSerial: string;
  readonly type: string;
  readonly name: string | null;
  readonly clientId: string | null;
  readonly count: number | null;
  readonly data: string | null;
  readonly encoding: string | null;
}

/** An annotation as clients get it, in the form of JSON. */
export interface WireAnnotation {
  readonly action: number;
  readonly id?: string;
  readonly serial: string;
  readonly messageSerial: string;
  readonly type: string;
  readonly name?: string;
  readonly clientId?: string;
  readonly count?: number;
  readonly data?: string;
  readonly encoding?: string;
  readonly timestamp: number;
}

const MAX_ID_BYTES = 128;
const MAX_TYPE_BYTES = 256;
/** The limit of an annotator's clientId, which is stored as one entry among many. */
const MAX_CLIENT_ID_BYTES = 128;
const ACTIONS: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  [undefined, false],
  [null, false],
  [0, false],
  ['annotation.create', false],
  [1, true],
  ['annotation.delete', true],
]);

const malformed = (text: string): CompatError => new CompatError(40_000, text);

/**
 * Parses an annotation of the message with this serial; null: the annotation names the message itself.
 *
 * @throws CompatError if it is invalid.
 */
export function readAnnotation(
  value: unknown,
  messageSerial: string | null,
  identity: Identity,
  { maxBytes, maxNameBytes }: MessageRules,
): Annotation {
  if (!isObject(value)) throw malformed('an annotation must be an object');
  const isDelete = ACTIONS.get(value['action']);
  if (isDelete === undefined) throw malformed('the action is not that of an annotation');
  const type = textOf(value, 'type', MAX_TYPE_BYTES);
  if (type === null) throw malformed('type is needed');
  const named = textOf(value, 'messageSerial', MAX_ID_BYTES);
  if (messageSerial !== null && named !== null && named !== messageSerial)
    throw malformed('messageSerial is another message');
  const serial = messageSerial ?? named;
  if (serial === null) throw malformed('messageSerial is needed');
  const { data, encoding, bytes } = payloadOf(value);
  if (bytes > maxBytes) throw new CompatError(40_009, 'the annotation is too large');
  const annotation = {
    isDelete,
    id: textOf(value, 'id', MAX_ID_BYTES),
    serial: isDelete ? textOf(value, 'serial', MAX_ID_BYTES) : null,
    messageSerial: serial,
    type,
    name: textOf(value, 'name', maxNameBytes),
    clientId: annotatorOf(value, identity, isDelete),
    count: countOf(value),
    data,
    encoding,
  };
  if (!isDelete) checkNeeds(annotation);
  return annotation;
}

/** Applies the service's own validation up front, so that a batch is rejected as a whole. */
function checkNeeds(annotation: Pick<Annotation, 'clientId' | 'name' | 'type'>): void {
  const missing = lackIn(annotation);
  if (missing === 'clientId')
    throw new CompatError(40_012, 'only an identified client makes annotations of this type');
  if (missing !== null) throw malformed(`${missing} is needed for this type`);
}

function lackIn(annotation: Pick<Annotation, 'clientId' | 'name' | 'type'>): ReturnType<typeof lackOf> {
  try {
    return lackOf(annotation);
  } catch (error) {
    throw refusalOf(error);
  }
}

/**
 * Returns the annotator. An identified client annotates only as itself, but may delete annotations of others if that
 * is granted.
 */
function annotatorOf(
  value: JsonObject,
  { clientId, mayBeAnybody }: Identity,
  isDelete: boolean,
): string | null {
  const named = textOf(value, 'clientId', MAX_CLIENT_ID_BYTES);
  if (named === '*') throw new CompatError(40_012, 'clientId is not allowed');
  if (named === null) return mayBeAnybody ? null : clientId;
  if (!mayBeAnybody && !isDelete && named !== clientId)
    throw new CompatError(40_012, 'clientId is not that of the publisher');
  return named;
}

function countOf({ count }: JsonObject): number | null {
  if (!isGiven(count)) return null;
  if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 1)
    throw malformed('count must be an integer of at least 1');
  return count;
}

/** Converts an annotation as listed or published by the service; null if it is none. */
export function fromListed(listed: unknown): WireAnnotation | null {
  if (!isObject(listed)) return null;
  const { action, serial, messageSerial, type, timestamp, data, encoding } = listed;
  const isWhole = [serial, messageSerial, type].every((one) => typeof one === 'string');
  if (!isWhole || typeof timestamp !== 'number') return null;
  const kept = Object.fromEntries(
    ['id', 'serial', 'messageSerial', 'type', 'name', 'clientId', 'count', 'timestamp'].flatMap((name) =>
      isGiven(listed[name]) ? [[name, listed[name]] as const] : [],
    ),
  );
  return {
    ...(kept as unknown as WireAnnotation),
    action: action === 'annotation.delete' ? 1 : 0,
    ...dataOf(data, encoding),
  };
}

/** Encodes non-text data as JSON. */
function dataOf(data: unknown, encoding: unknown): Pick<WireAnnotation, 'data' | 'encoding'> {
  if (data === undefined) return {};
  if (typeof data !== 'string') return { data: JSON.stringify(data), encoding: 'json' };
  return typeof encoding === 'string' ? { data, encoding } : { data };
}

/** Converts the annotation summaries of a message to the form of clients: counts per client are in `clientIds`. */
export function summaryOf(summary: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(summary).map(([type, one]) => [type, renamed(one)]));
}

function renamed(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { clientCounts, ...rest } = value;
  if (isObject(clientCounts)) return { ...rest, clientIds: clientCounts };
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, isObject(one) ? renamed(one) : one]),
  );
}

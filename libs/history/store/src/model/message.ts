import { keepDay } from './calendar.js';
import type { RecordAction } from './record.js';

/** Operation of a version on its message. */
export type MessageAction = Exclude<RecordAction, 'plain'>;

/**
 * Type of the data of a message: absent, a string, other JSON, or bytes, whose JSON text is the array of their
 * values.
 */
export type DataKind = 'none' | 'string' | 'json' | 'bytes';

/** Latest visible state of a mutable message. Its data is the result of all versions. */
export interface StoredMessage {
  readonly streamKey: string;
  readonly generation: number;
  readonly messageSerial: string;
  /** History serial of its create. */
  readonly historySerial: number;
  /** Creator; null: a server. */
  readonly creatorId: string | null;
  readonly versionSerial: string;
  readonly deliverySerial: number;
  readonly action: MessageAction;
  /** When the latest version was committed. */
  readonly atMs: number;
  /** Client, description and metadata (JSON text) of the latest version. Null: absent. */
  readonly clientId: string | null;
  readonly description: string | null;
  readonly metadata: string | null;
  readonly name: string | null;
  /** JSON text of an object; null: it has none. */
  readonly extras: string | null;
  /** Null: not requested; the stored data is kept. */
  readonly data: MessageData | null;
  readonly dataKind: DataKind;
  /** The data is a string that holds the JSON text of a published value of another type. Absent: it does not. */
  readonly isJsonText?: boolean | undefined;
  /** A string by its UTF-8, bytes as many as they are, anything else by its JSON text. */
  readonly dataBytes: number;
  /** The stored data includes everything up to this serial; later fragments are in their own records. */
  readonly baseSerial: number;
  /** The version that it is of. */
  readonly baseVersionSerial: string;
  readonly appends: number;
  /** Whether the message is open for appends. */
  readonly isOpen: boolean;
  readonly keepUntilMs: number;
}

/** JSON text; null: no data. */
export interface MessageData {
  readonly text: string | null;
}

/** Fragments, or bytes of fragments, after which a new snapshot of the data is stored. */
const BASE_EVERY_APPENDS = 64;
const BASE_EVERY_BYTES = 65_536;

/** Whether this many further appends and bytes trigger a new snapshot of the data. */
export const reachesBase = (
  { appends, dataBytes }: Pick<StoredMessage, 'appends' | 'dataBytes'>,
  more: { readonly appends: number; readonly bytes: number },
): boolean =>
  passes(appends, more.appends, BASE_EVERY_APPENDS) || passes(dataBytes, more.bytes, BASE_EVERY_BYTES);

/**
 * Whether the message now expires on a later day than its fragments, which are removed with their day: its snapshot
 * must not depend on them.
 */
export const outlivesFragments = (
  { keepUntilMs }: Pick<StoredMessage, 'keepUntilMs'>,
  keptUntilMs: number,
): boolean => keepDay(keptUntilMs) > keepDay(keepUntilMs);

const passes = (from: number, by: number, step: number): boolean =>
  Math.floor((from + by) / step) > Math.floor(from / step);

/** Returns the fragment of an append's payload as JSON text. */
export function fragmentOf(payload: string): string {
  const body: unknown = JSON.parse(payload);
  const data = typeof body === 'object' && body !== null && 'data' in body ? body.data : '';
  return typeof data === 'string' ? data : '';
}

/** The data with the fragments behind it. */
export function withFragments(base: string | null, fragments: readonly string[]): MessageData {
  if (fragments.length === 0) return { text: base };
  const begun: unknown = base === null ? '' : JSON.parse(base);
  return { text: JSON.stringify([typeof begun === 'string' ? begun : '', ...fragments].join('')) };
}

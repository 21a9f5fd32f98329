import { keepDay } from './calendar.js';
import type { RecordAction } from './record.js';

/** What a version did to its message. */
export type MessageAction = Exclude<RecordAction, 'plain'>;

/** What the data of a message is: absent, a string, any other JSON, or bytes, whose JSON text is the list of them. */
export type DataKind = 'none' | 'string' | 'json' | 'bytes';

/** The latest visible state of a message that lives on. Its data is the sum of its versions. */
export interface StoredMessage {
  readonly streamKey: string;
  readonly generation: number;
  readonly messageSerial: string;
  /** Of its create. */
  readonly historySerial: number;
  /** Who created it; null: a server. */
  readonly creatorId: string | null;
  readonly versionSerial: string;
  readonly deliverySerial: number;
  readonly action: MessageAction;
  /** When the latest version was committed. */
  readonly atMs: number;
  /** To whom the latest version is attributed, and what was said of it; the last is JSON text. Null: nothing. */
  readonly clientId: string | null;
  readonly description: string | null;
  readonly metadata: string | null;
  readonly name: string | null;
  /** JSON text of an object; null: it has none. */
  readonly extras: string | null;
  /** Null: it was not asked for, and what is stored of it stays as it is. */
  readonly data: MessageData | null;
  readonly dataKind: DataKind;
  /** The data is a string that holds the JSON text of a published value of another type. Absent: it does not. */
  readonly isJsonText?: boolean | undefined;
  /** A string by its UTF-8, bytes as many as they are, anything else by its JSON text. */
  readonly dataBytes: number;
  /** What is stored of the data holds everything up to here; fragments behind it lie in their own records. */
  readonly baseSerial: number;
  /** The version that it is of. */
  readonly baseVersionSerial: string;
  readonly appends: number;
  /** Whether it is a stream that goes on. */
  readonly isOpen: boolean;
  readonly keepUntilMs: number;
}

/** JSON text; null: there is none. */
export interface MessageData {
  readonly text: string | null;
}

/** The data is stored anew after so many fragments, or so many bytes of them. */
const BASE_EVERY_APPENDS = 64;
const BASE_EVERY_BYTES = 65_536;

/** Whether so many further appends, of so many bytes, store the data of a message anew. */
export const reachesBase = (
  { appends, dataBytes }: Pick<StoredMessage, 'appends' | 'dataBytes'>,
  more: { readonly appends: number; readonly bytes: number },
): boolean =>
  passes(appends, more.appends, BASE_EVERY_APPENDS) || passes(dataBytes, more.bytes, BASE_EVERY_BYTES);

/**
 * Whether the message is kept for more days then than the fragments it has by now, which are removed with their day: what
 * is stored of its data must not need them.
 */
export const outlivesFragments = (
  { keepUntilMs }: Pick<StoredMessage, 'keepUntilMs'>,
  keptUntilMs: number,
): boolean => keepDay(keptUntilMs) > keepDay(keepUntilMs);

const passes = (from: number, by: number, step: number): boolean =>
  Math.floor((from + by) / step) > Math.floor(from / step);

/** What the payload of an append's record holds: its fragment as JSON text, and what goes with it. */
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

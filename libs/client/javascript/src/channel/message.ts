import type { Extras, HeaderValue, ReceivedFrame } from '../format/frame.js';

/** The action of a mutable message. */
export type Action = 'create' | 'update' | 'delete' | 'append';

/** A message that can change: which one, and which version of it this is. */
export interface VersionInfo {
  readonly action: Action;
  /** The serial of the message. */
  readonly serial: string;
  /** The serial of this version; versions compare lexicographically by age. */
  readonly version: string;
  /** The serial of the message's creation in the channel's history. */
  readonly historySerial: number | null;
  readonly timestampMs: number | null;
  /** Whether the data is that of the whole message; false: only the appended part. */
  readonly isWhole: boolean;
  /** For a rollup of several appends, the serial of the first; null for a single one. */
  readonly fromSerial: number | null;
}

/** A message as handlers get it. */
export interface Message<Data = unknown> {
  readonly event: string;
  readonly channel: string;
  /** Parsed where it is JSON in a text. */
  readonly data: Data;
  /** The data as received, not parsed. */
  readonly raw: unknown;
  /** For an update, delete or append: the name the message was published with. */
  readonly name?: string;
  /** The publisher on presence channels; the creator for mutable messages. */
  readonly userId?: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly id?: string;
  readonly streamId?: string;
  readonly serial?: number;
  readonly extras: Extras;
  /** Null: the message cannot be changed. */
  readonly change: VersionInfo | null;
}

/** The value of a JSON text, or the text. */
export function parsed(data: unknown): unknown {
  if (typeof data !== 'string') return data;
  try {
    return JSON.parse(data) as unknown;
  } catch {
    return data;
  }
}

const ACTIONS: ReadonlySet<string> = new Set(['create', 'update', 'delete', 'append']);

const numberOr = (value: HeaderValue | undefined): number | null =>
  typeof value === 'number' ? value : null;

function changeOf(
  headers: Readonly<Record<string, HeaderValue>>,
  vendor: string,
  wholeAppends: boolean,
): VersionInfo | null {
  const serial = headers[`${vendor}_message_serial`];
  const version = headers[`${vendor}_version_serial`];
  const action = String(headers[`${vendor}_action`]).replace(/^message\./, '');
  if (typeof serial !== 'string' || typeof version !== 'string' || !ACTIONS.has(action)) return null;
  return {
    action: action as Action,
    serial,
    version,
    historySerial: numberOr(headers[`${vendor}_history_serial`]),
    timestampMs: numberOr(headers[`${vendor}_version_timestamp_ms`]),
    isWhole: action !== 'append' || wholeAppends,
    fromSerial: numberOr(headers[`${vendor}_rollup_from_serial`]),
  };
}

/** The message of a frame. `wholeAppends`: appends bring the whole message. */
export function messageOf(frame: ReceivedFrame, vendor: string, wholeAppends = false): Message {
  const extras = frame.extras ?? {};
  const change = changeOf(extras.headers ?? {}, vendor, wholeAppends);
  return {
    event: frame.event,
    channel: frame.channel ?? '',
    // Appended data is text, even if it looks like a number.
    data: change?.isWhole === false ? frame.data : parsed(frame.data),
    raw: frame.data,
    ...(frame.name === undefined ? {} : { name: frame.name }),
    ...(frame.userId === undefined ? {} : { userId: frame.userId }),
    tags: frame.tags ?? {},
    ...(frame.messageId === undefined ? {} : { id: frame.messageId }),
    ...(frame.streamId === undefined ? {} : { streamId: frame.streamId }),
    ...(frame.serial === undefined ? {} : { serial: frame.serial }),
    extras,
    change,
  };
}

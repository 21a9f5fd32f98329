import { integer, json, list, object, oneOf, optional, text, type Infer } from '@carillon/contracts';

const MAX_TRACES = 10_000;

/** One event of a tail. Members besides these depend on the kind. */
export interface Trace {
  readonly kind:
    | 'connect'
    | 'disconnect'
    | 'error'
    | 'frame'
    | 'message'
    | 'presence'
    | 'subscribe'
    | 'unsubscribe';
  readonly direction: 'in' | 'out';
  readonly at_ms: number;
  readonly node_id: string;
  readonly [name: string]: boolean | number | string | null;
}

/** Why traces were left out. */
export const DROP_REASONS = ['rate', 'bytes', 'buffer'] as const;

export type DropReason = (typeof DROP_REASONS)[number];

const count = integer(0);

/** Traces of one node for one tail, with the numbers left out since the batch before. */
export const TAIL_TRACES = object({
  tail_id: text(1, 64),
  traces: list(
    object({ kind: text(1, 32), direction: oneOf('in', 'out'), at_ms: count, fields: json }),
    0,
    MAX_TRACES,
  ),
  dropped: object({ rate: optional(count), bytes: optional(count), buffer: optional(count) }),
});

export type TailTraces = Infer<typeof TAIL_TRACES>;

/** Payload of a message, as a trace shows it. */
export interface ShownData {
  readonly bytes: number;
  readonly data: string | null;
  readonly data_truncated: boolean;
}

/** What of payloads a tail shows. */
export interface DataRules {
  readonly payload: 'full' | 'none';
  readonly max_data_bytes: number;
}

/** Shows the payload of a message: texts as they are, other values as JSON. With `payload` none only its size. */
export function shownData(
  dataText: string | null,
  { payload, max_data_bytes: max }: DataRules,
): Partial<ShownData> {
  const text = plainText(dataText);
  const bytes = text === null ? 0 : Buffer.byteLength(text);
  if (payload === 'none') return { bytes };
  if (text === null || bytes <= max) return { bytes, data: text, data_truncated: false };
  return { bytes, data: cutAt(text, max), data_truncated: true };
}

function plainText(dataText: string | null): string | null {
  if (dataText === null || !dataText.startsWith('"')) return dataText;
  try {
    const value: unknown = JSON.parse(dataText);
    return typeof value === 'string' ? value : dataText;
  } catch {
    return dataText;
  }
}

/** Cuts a text at a character, so that it takes at most this many bytes. */
function cutAt(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text.slice(0, maxBytes));
  if (bytes.length <= maxBytes)
    return text
      .slice(0, maxBytes)
      .toWellFormed()
      .replace(/\uFFFD$/, '');
  let end = maxBytes;
  // Bytes 10xxxxxx continue a character.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end).toString();
}

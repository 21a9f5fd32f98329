/** Data received from a client. */
export type ReceivedData =
  | { readonly kind: 'none' }
  /** Valid JSON text, unchanged where the format allows it, and its value. */
  | { readonly kind: 'json'; readonly text: string; readonly value: unknown }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array };

/** One frame from a client of protocol 2, free of its wire format and not yet understood. */
export interface ReceivedFrame {
  /** Not empty. */
  readonly event: string;
  /** Null: none given, or not a string. */
  readonly channel: string | null;
  readonly data: ReceivedData;
  /** Null: none given. Undefined: not a string. */
  readonly messageId: string | null | undefined;
  /** JSON text, of any type; null: none given. */
  readonly extrasText: string | null;
}

/** A frame as read, or why it cannot be, in words for the client. */
export type Decoded =
  | { readonly ok: true; readonly frame: ReceivedFrame }
  | { readonly ok: false; readonly problem: string; readonly channel: string | null };

/** A frame that cannot be read. */
export const undecodable = (problem: string, channel: unknown = null): Decoded => ({
  ok: false,
  problem,
  channel: typeof channel === 'string' ? channel : null,
});

/** Data that is no JSON text itself. */
export const jsonData = (value: unknown): ReceivedData => ({
  kind: 'json',
  text: JSON.stringify(value),
  value,
});

/** Data that came as JSON text inside another format; null: it is no JSON. */
export function jsonTextData(text: string): ReceivedData | null {
  try {
    return { kind: 'json', text, value: JSON.parse(text) };
  } catch {
    return null;
  }
}

/** A header value with its type. */
export type TaggedHeader = readonly [name: string, value: string | number | boolean];

/** `extras` in the binary formats. Null: absent. */
export interface BinaryExtras {
  readonly headers: readonly TaggedHeader[];
  readonly ephemeral: boolean | null;
  readonly echo: boolean | null;
  readonly idempotencyKey: string | null;
  readonly transport: readonly (readonly [string, string])[];
  readonly codec: readonly (readonly [string, string])[];
}

/** The JSON text of binary `extras`; null: they hold nothing. */
export function extrasTextOf(extras: BinaryExtras): string | null {
  const members: string[] = [];
  const add = (name: string, text: string | null): void => {
    if (text !== null) members.push(`"${name}":${text}`);
  };
  add('headers', entriesText(extras.headers));
  add('ephemeral', extras.ephemeral === null ? null : String(extras.ephemeral));
  add('echo', extras.echo === null ? null : String(extras.echo));
  add('idempotencyKey', extras.idempotencyKey === null ? null : JSON.stringify(extras.idempotencyKey));
  const [transport, codec] = [entriesText(extras.transport), entriesText(extras.codec)];
  if (transport !== null || codec !== null) {
    add('ai', `{"transport":${transport ?? '{}'},"codec":${codec ?? '{}'}}`);
  }
  return members.length === 0 ? null : `{${members.join(',')}}`;
}

function entriesText(entries: readonly (readonly [string, string | number | boolean])[]): string | null {
  if (entries.length === 0) return null;
  return `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`;
}

/** `extras` for the binary formats, which carry these members and no others. */
export function binaryExtras(extrasText: string | null | undefined): BinaryExtras | null {
  if (extrasText === undefined || extrasText === null) return null;
  const extras = JSON.parse(extrasText) as Record<string, unknown>;
  const ai = recordOf(extras['ai']);
  const found: BinaryExtras = {
    headers: entriesOf(extras['headers'], isScalar),
    ephemeral: typeof extras['ephemeral'] === 'boolean' ? extras['ephemeral'] : null,
    echo: typeof extras['echo'] === 'boolean' ? extras['echo'] : null,
    idempotencyKey: null,
    transport: entriesOf(ai['transport'], isText),
    codec: entriesOf(ai['codec'], isText),
  };
  const isEmpty =
    found.headers.length + found.transport.length + found.codec.length === 0 &&
    found.ephemeral === null &&
    found.echo === null;
  return isEmpty ? null : found;
}

const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

const isText = (value: unknown): value is string => typeof value === 'string';
const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

function entriesOf<T>(
  value: unknown,
  fits: (value: unknown) => value is T,
): readonly (readonly [string, T])[] {
  return Object.entries(recordOf(value)).filter((entry): entry is [string, T] => fits(entry[1]));
}

import { isUtf8 } from 'node:buffer';
import type { MessageDefinition, MessageOf } from './message.js';
import { withinBytes } from './size.js';

/** Why a message was not understood. */
export type Misfit =
  | { readonly reason: 'too-large' | 'malformed'; readonly detail: string }
  /** From a newer peer; to be ignored. */
  | { readonly reason: 'unknown-kind'; readonly detail: string }
  /** A kind known here in a version that is not; some kinds must be answered then. */
  | { readonly reason: 'unsupported-version'; readonly kind: string; readonly detail: string };

/** A message that may be used, or why not. `detail` is for logs and quotes nothing of the message. */
export type Decoded<Message> =
  | { readonly ok: true; readonly message: Message }
  | ({ readonly ok: false } & Misfit);

/** Reads messages that came from another process. */
export type Decoder<Message> = (input: string | Uint8Array, maxBytes: number) => Decoded<Message>;

/**
 * Creates a decoder of these kinds. It never throws; a message over the size limit is refused before parsing;
 * undeclared members are kept unread.
 */
export function decoder<const Definitions extends readonly MessageDefinition<string, unknown>[]>(
  ...definitions: Definitions
): Decoder<MessageOf<Definitions[number]>> {
  const byKind = new Map(definitions.map((definition) => [definition.kind, definition]));
  return (input, maxBytes) => {
    if (!within(input, maxBytes)) return misfit('too-large', `over ${maxBytes} bytes`);
    const value = parse(input);
    if (typeof value !== 'object' || value === null) return misfit('malformed', 'is not a JSON object');
    const { v, kind } = value as { readonly v?: unknown; readonly kind?: unknown };
    if (typeof kind !== 'string') return misfit('malformed', 'kind: must be a text');
    const definition = byKind.get(kind);
    if (definition === undefined) return misfit('unknown-kind', 'kind: is not known here');
    if (v !== definition.version) return otherVersion(v, definition);
    const problem = definition.body(value);
    if (problem !== null) return misfit('malformed', problem);
    return { ok: true, message: value as MessageOf<Definitions[number]> };
  };
}

const within = (input: string | Uint8Array, maxBytes: number) =>
  typeof input === 'string' ? withinBytes(input, maxBytes) : input.byteLength <= maxBytes;

/** Parses JSON; undefined if invalid. */
function parse(input: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof input === 'string' ? input : utf8(input));
  } catch {
    return undefined;
  }
}

function utf8(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) return '';
  const view =
    bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return view.toString('utf8');
}

function otherVersion(v: unknown, { kind, version }: MessageDefinition<string, unknown>) {
  if (typeof v !== 'number' || !Number.isSafeInteger(v)) return misfit('malformed', 'v: must be an integer');
  const detail = `v: ${v}, spoken here is ${version}`;
  return { ok: false, reason: 'unsupported-version', kind, detail } as const;
}

const misfit = <const Reason extends Misfit['reason']>(reason: Reason, detail: string) =>
  ({ ok: false, reason, detail }) as const;

import { object, type ObjectOf } from './composites.js';
import type { Shape } from './shape.js';

/** One kind of message: its name on the wire, the version spoken here, and what it must hold. */
export interface MessageDefinition<Kind extends string, Body> {
  readonly kind: Kind;
  readonly version: number;
  readonly body: Shape<Body>;
}

/** A message as it comes out of decoding. */
export type MessageOf<Definition> =
  Definition extends MessageDefinition<infer Kind, infer Body>
    ? { readonly v: number; readonly kind: Kind } & Body
    : never;

/** What encoding a message of this definition takes. */
export type BodyOf<Definition> = Definition extends MessageDefinition<string, infer Body> ? Body : never;

/** Defines a kind of message at version 1. */
export function message<Kind extends string, const F extends Parameters<typeof object>[0]>(
  kind: Kind,
  fields: F,
): MessageDefinition<Kind, ObjectOf<F>> {
  return { kind, version: 1, body: object(fields) };
}

/** What a message may weigh beyond the largest event payload: names, serials, escapes of the envelope. */
const ENVELOPE_BYTES = 64 * 1024;

/** The size cap of messages on the fabric. */
export function maxMessageBytes(eventPayloadLimitBytes: number): number {
  return eventPayloadLimitBytes + ENVELOPE_BYTES;
}

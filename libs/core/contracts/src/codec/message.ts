import { object, type ObjectOf } from './composites.js';
import type { Shape } from './shape.js';

/** A kind of message: its name on the wire, its version, and its shape. */
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

/** Body type of a definition. */
export type BodyOf<Definition> = Definition extends MessageDefinition<string, infer Body> ? Body : never;

/** Defines a kind of message at version 1. */
export function message<Kind extends string, const F extends Parameters<typeof object>[0]>(
  kind: Kind,
  fields: F,
): MessageDefinition<Kind, ObjectOf<F>> {
  return { kind, version: 1, body: object(fields) };
}

/** Size of a message besides the largest event payload: names, serials, escapes of the envelope. */
const ENVELOPE_BYTES = 64 * 1024;

/** The size cap of messages on the broker. */
export function maxMessageBytes(eventPayloadLimitBytes: number): number {
  return eventPayloadLimitBytes + ENVELOPE_BYTES;
}

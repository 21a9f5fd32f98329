import { createHash } from 'node:crypto';
import type { Mutation } from './mutation.js';

/** Identity of a repeatable operation, in lower-case hex. */
export interface OperationIdentity {
  readonly hash: string;
  /** Hash of its content: a different one means another operation under the same id. */
  readonly fingerprint: string;
}

/** Null: the operation has no id, and may be repeated. */
export function operationIdentity(mutation: Mutation): OperationIdentity | null {
  const { op, op_id: id, app_id, channel, message_serial: message } = mutation;
  if (id === undefined) return null;
  const hash = createHash('sha256');
  for (const part of [app_id, channel, message, `message.${op}`, id]) hash.update(part).update('\0');
  return { hash: hash.digest('hex'), fingerprint: fingerprintOf(mutation) };
}

/** Texts of JSON count as they are written: they come from one request, sent again. */
function fingerprintOf(mutation: Mutation): string {
  const { op, message_serial, data, extras, client_id, description, metadata, actor } = mutation;
  const replaced = mutation.op === 'append' ? [] : [mutation.name ?? null, mutation.clear_fields ?? []];
  const parts = [op, message_serial, data, extras, client_id, description, metadata, actor.client_id];
  const content = [...parts.map((part) => part ?? null), ...replaced];
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}

import type { Call } from '../http/call.js';
import type { Reply } from '../http/reply.js';
import type { ManagementParts } from '../parts.js';
import { perform } from './perform.js';

/** Publishes an event, or a batch of them if the body has `batch`. */
export function publish(
  call: Call<unknown, Readonly<Record<string, unknown>>>,
  parts: ManagementParts,
): Promise<Reply> {
  const { body, audit } = call;
  if (typeof body['channel'] === 'string') audit.target = body['channel'];
  // Payloads are never part of the audit log.
  audit.after = { event: body['name'] ?? null };
  return perform(Object.hasOwn(body, 'batch') ? 'publishBatch' : 'publishEvent', call, parts);
}

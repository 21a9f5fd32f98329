import type { Call } from '../http/call.js';
import type { Reply } from '../http/reply.js';
import type { ManagementParts } from '../parts.js';
import { perform, type PerformedOperation } from './perform.js';

/** Handler that performs an operation about the history of a channel. */
export const ofHistory =
  (name: PerformedOperation) =>
  async (call: Call, parts: ManagementParts): Promise<Reply> => {
    const reply = await perform(name, call, parts);
    if (call.body !== undefined) call.audit.after = call.body;
    return reply;
  };

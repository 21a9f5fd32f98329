import type { Reply } from '../pipeline/call.js';

const PARTIAL = { 'x-partial-result': 'true' } as const;

/** What is said of the mark. */
export const PARTIAL_HEADER = { 'X-Partial-Result': '`true` when some process did not answer in time.' };

/** A state query's answer; marked when some process did not answer in time. */
export function stateReply(body: object, complete: boolean): Reply {
  const text = JSON.stringify(body);
  return complete ? { text } : { text, headers: PARTIAL };
}

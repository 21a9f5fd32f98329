import { randomBytes } from 'node:crypto';

const NONCE_BYTES = 4;

/** A name for this start of a process: a restart under the same process id is another node. */
export function newNodeId(processId: string): string {
  return `${processId}-${randomBytes(NONCE_BYTES).toString('hex')}`;
}

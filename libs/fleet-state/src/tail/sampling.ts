import { createHash } from 'node:crypto';

/** Whether a message is one of `n`. Every node chooses the same messages. */
export function isSampled(messageId: string | null, n: number): boolean {
  if (n === 1) return true;
  const hash = createHash('sha1')
    .update(messageId ?? '')
    .digest();
  return hash.readUInt32BE(0) % n === 0;
}

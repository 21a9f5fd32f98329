import { createHash } from 'node:crypto';

/** Stands for a job's data where only equality matters. */
export function fingerprint(data: string): string {
  return createHash('sha256').update(data, 'utf8').digest('base64url');
}

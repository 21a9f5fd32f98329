import { createHash } from 'node:crypto';

/** Digest of a job's data for equality checks. */
export function fingerprint(data: string): string {
  return createHash('sha256').update(data, 'utf8').digest('base64url');
}

import { createHash } from 'node:crypto';

/** Characters that stand for a line, whatever its name. */
export const DIGEST_CHARS = 22;

/** What stands for the lines of a job, in their order, as one text of digests of equal length. */
export function lineDigests(lines: readonly string[]): string {
  if (lines.length === 0) return '';
  // Were two names to meet in one digest, the job would wait for itself.
  return [...new Set(lines.map(digestOf))].join('');
}

const digestOf = (line: string): string =>
  createHash('sha256').update(line, 'utf8').digest('base64url').slice(0, DIGEST_CHARS);

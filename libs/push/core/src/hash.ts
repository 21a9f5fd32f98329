import { createHash } from 'node:crypto';

/** Lower-case hex of the parts, a NUL between them. */
export const sha256 = (...parts: readonly (string | number)[]): string =>
  createHash('sha256').update(parts.join('\0')).digest('hex');

/** The first 16 hex digits as a number, modulo. */
export const bucketOf = (digest: string, buckets: number): number =>
  Number(BigInt(`0x${digest.slice(0, 16)}`) % BigInt(buckets));

/** The same for the same content, however its members are ordered. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}

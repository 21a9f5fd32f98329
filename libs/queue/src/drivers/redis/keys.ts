import { InvalidJob } from '../../failures.js';

/** Keys of a queue. */
export const PARTS = [
  'jobs',
  'wait',
  'turns',
  'last-turns',
  'owners',
  'delayed',
  'active',
  'begun',
  'tokens',
  'attempts',
  'max-attempts',
  'dlq',
  'failures',
  'completed',
  'dedup',
  'dedup-expiry',
  'dedup-keys',
  'notify',
  'events',
] as const;

export type Part = (typeof PARTS)[number];

const LONGEST_ID_BYTES = 512;

/** The prefix of every key. Throws when it would break the hash tag that keeps a queue's keys together. */
export function keyPrefix(configured: string): string {
  let end = configured.length;
  while (end > 0 && configured[end - 1] === ':') end--;
  const prefix = configured.slice(0, end);
  if (/[{}]/.test(prefix)) throw new Error('the prefix of a queue must not contain braces');
  return prefix;
}

/** A queue's name with every byte percent-encoded that keys do not carry as it is. Throws `InvalidJob` when too long. */
export function queueId(queue: string): string {
  let id = '';
  for (const byte of Buffer.from(queue, 'utf8')) {
    const char = String.fromCharCode(byte);
    id += /[A-Za-z0-9_.:-]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  if (id.length > LONGEST_ID_BYTES)
    throw new InvalidJob(`queue name must be at most ${LONGEST_ID_BYTES} bytes`);
  return id;
}

/** The key of one part; all parts of a queue share a hash tag, hence a slot of a cluster. */
export const partKey = (prefix: string, id: string, part: Part) => `${prefix}:v2:{${id}}:${part}`;

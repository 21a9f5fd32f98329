import { createHash } from 'node:crypto';

/**
 * Size limit of one part of a broker name. Brokers limit their names (NATS a subscription line to 4 KiB, RabbitMQ and
 * Kafka a name to about 250 bytes), and some close the connection on longer ones.
 */
const MAX_PART_BYTES = 192;

/** Returns the digest that replaces a part that is too long; null if it fits. */
export function digestOfLong(part: string): string | null {
  if (Buffer.byteLength(part) <= MAX_PART_BYTES) return null;
  return createHash('sha256').update(part).digest('base64url');
}

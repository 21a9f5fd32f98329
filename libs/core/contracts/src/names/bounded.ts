import { createHash } from 'node:crypto';

/**
 * What one part of a broker's name takes as it is. Brokers bound their names (NATS the line of a subscription to 4 KiB,
 * RabbitMQ and Kafka a name to about 250 bytes), and some end the link of whoever goes beyond.
 */
const MAX_PART_BYTES = 192;

/** What stands for a part that is too long: the same everywhere, and as good as another for every other part. */
export function digestOfLong(part: string): string | null {
  if (Buffer.byteLength(part) <= MAX_PART_BYTES) return null;
  return createHash('sha256').update(part).digest('base64url');
}

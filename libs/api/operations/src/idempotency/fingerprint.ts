import { createHash } from 'node:crypto';
import type { Event } from '../publish/event.js';

const ABSENT = '';

/**
 * Fingerprint of a publish under a key: everything the client decides about the message, without members that the
 * service adds or that only exclude a receiver. The payload counts as delivered, so strings with different escapes
 * are equal; tags and extras count as written, except for white space. The channel is part of the key.
 */
export const fingerprint = (event: Event): string =>
  hashOf([
    event.name,
    JSON.parse(event.dataText) as string,
    event.tagsText,
    event.extrasText,
    event.messageId,
    'server',
  ]);

/** Fingerprint of a client event; its payload counts as written. */
export const clientFingerprint = (
  event: string,
  dataText: string | null,
  extrasText: string | null,
): string => hashOf([event, dataText, null, extrasText, null, 'client']);

function hashOf(parts: readonly (string | null)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) {
    const text = part ?? ABSENT;
    hash.update(`${part === null ? '-' : Buffer.byteLength(text)}:`).update(text);
  }
  return hash.digest('hex');
}

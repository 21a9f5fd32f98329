import { createHash } from 'node:crypto';
import type { Event } from '../publish/event.js';

const ABSENT = '';

/**
 * What makes two publishes of one key the same: everything the client decides about the message, and nothing that the
 * service adds or that only says who does not get it. The payload counts as delivered, so a string counts the same
 * however it was escaped; tags and extras count as written, but for white space. The channel is part of what it is kept under.
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

/** The same of what a client says; its payload counts as written. */
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

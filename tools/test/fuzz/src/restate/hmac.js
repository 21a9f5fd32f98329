import { createHash, createHmac } from 'node:crypto';

/** Credentials of the pages' examples. */
export const SOURCE = { appId: '1042', key: 'app-key-7f3c', secret: 's3cr3t-for-docs-only' };

/** @param {string} message @param {'hex' | 'base64url'} [encoding] */
export const signed = (message, encoding = 'hex') =>
  createHmac('sha256', Buffer.from(SOURCE.secret)).update(Buffer.from(message)).digest(encoding);

/** @param {Uint8Array} bytes */
export const md5 = (bytes) => createHash('md5').update(bytes).digest('hex');

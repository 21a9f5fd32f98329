import { createHash } from 'node:crypto';

const digest = (key: string) => createHash('sha256').update(key);

/** At most 64 bytes of printable ASCII, as headers allow. */
export const apnsCollapseId = (key: string): string =>
  /^[\x20-\x7e]{1,64}$/.test(key) ? key : digest(key).digest('hex').slice(0, 64);

/** At most 32 characters of base64url. */
export const webPushTopic = (key: string): string =>
  /^[A-Za-z0-9_-]{1,32}$/.test(key) ? key : digest(key).digest('base64url').slice(0, 32);

/** At most 16 alphanumerics. */
export const wnsTag = (key: string): string =>
  /^[A-Za-z0-9]{1,16}$/.test(key) ? key : digest(key).digest('hex').slice(0, 16);

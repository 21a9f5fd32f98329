import { createECDH } from 'node:crypto';
import type { DoctorContext } from './context.js';
import type { Report } from './result.js';

const SETTING = 'push.webpush.vapid_private_key';
const PRIVATE_BYTES = 32;

/** Whether the configured key of Web Push is usable. Credentials of other providers are stored per app. */
export function checkPushProviders({ loaded: { config } }: DoctorContext, report: Report): void {
  const { push } = config;
  const key = push.webpush.vapid_private_key;
  if (!push.webpush_enabled || key === null) return;
  const about = { id: 'push.providers', setting: SETTING, facts: { provider: 'webpush' } };
  const bytes = Buffer.from(key.reveal(), 'base64url');
  try {
    if (bytes.length !== PRIVATE_BYTES) throw new RangeError('wrong length');
    createECDH('prime256v1').setPrivateKey(bytes);
    report({ ...about, status: 'ok', message: 'the signing key of webpush is usable' });
  } catch {
    const message = `webpush: ${SETTING} is not the base64url text of a P-256 private key`;
    report({ ...about, status: 'error', message, cure: 'carillon push keys' });
  }
}

// The side of the browser: keys of subscriptions, and what can be read with them. Written from RFC 8291 and 8188.
import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto';

/**
 * @typedef {object} Subscription
 * @property {string} p256dh
 * @property {string} auth
 * @property {string} privateKey
 * @property {string} applicationServerKey
 */

/** @param {string} applicationServerKey @returns {Subscription} */
export function newSubscription(applicationServerKey) {
  const curve = createECDH('prime256v1');
  return {
    p256dh: curve.generateKeys('base64url'),
    auth: randomBytes(16).toString('base64url'),
    privateKey: curve.getPrivateKey('base64url'),
    applicationServerKey,
  };
}

/** @param {Buffer} secret @param {Buffer} salt @param {Buffer} info @param {number} length */
const derived = (secret, salt, info, length) => Buffer.from(hkdfSync('sha256', secret, salt, info, length));

/** The one record of a message, decrypted; throws when it is not for this subscription. @param {Buffer} message @param {Subscription} subscription */
export function decrypted(message, subscription) {
  const salt = message.subarray(0, 16);
  const idLength = message[20] ?? 0;
  const senderKey = message.subarray(21, 21 + idLength);
  const record = message.subarray(21 + idLength);
  if (message.readUInt32BE(16) !== 4096 || record.length > 4096) throw new Error('not one record of 4096');
  const curve = createECDH('prime256v1');
  curve.setPrivateKey(Buffer.from(subscription.privateKey, 'base64url'));
  const shared = curve.computeSecret(senderKey);
  const receiverKey = Buffer.from(subscription.p256dh, 'base64url');
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), receiverKey, senderKey]);
  const secret = derived(shared, Buffer.from(subscription.auth, 'base64url'), info, 32);
  const key = derived(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = derived(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const decipher = createDecipheriv('aes-128-gcm', key, nonce);
  decipher.setAuthTag(record.subarray(-16));
  const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
  const end = padded.lastIndexOf(2);
  if (end < 0 || padded.subarray(end + 1).some((byte) => byte !== 0)) throw new Error('not the last record');
  return padded.subarray(0, end).toString();
}

/** Whether the header is signed by whom the subscription is for, for this service. @param {string} header @param {Subscription} subscription @param {string} origin */
export function isVouchedFor(header, { applicationServerKey }, origin) {
  const [, token = '', key = ''] = /^vapid t=([^,]+), ?k=(.+)$/.exec(header) ?? [];
  if (key !== applicationServerKey.replace(/=+$/, '')) return false;
  const point = Buffer.from(key, 'base64url');
  const part = (/** @type {number} */ from) => point.subarray(from, from + 32).toString('base64url');
  const jwk = { kty: 'EC', crv: 'P-256', x: part(1), y: part(33) };
  const claims = verifiedClaims(token, createPublicKey({ format: 'jwk', key: jwk }));
  const seconds = Date.now() / 1_000;
  const { aud, exp, sub } = claims ?? {};
  const inTime = typeof exp === 'number' && exp > seconds && exp < seconds + 86_400;
  return aud === origin && inTime && typeof sub === 'string' && /^(mailto|https):/.test(sub);
}

/** The claims of a token that this key signed; null: it did not. @param {string} token @param {import('node:crypto').KeyObject | string} key @returns {Record<string, unknown> | null} */
export function verifiedClaims(token, key) {
  const [header = '', claims = '', signature = ''] = token.split('.');
  const public_ = typeof key === 'string' ? createPublicKey(key) : key;
  const signed = Buffer.from(`${header}.${claims}`);
  const ok = verify(
    'sha256',
    signed,
    { key: public_, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  return ok ? JSON.parse(Buffer.from(claims, 'base64url').toString()) : null;
}

import { createECDH } from 'node:crypto';

const KEY_BYTES = 32;

/**
 * Keys of who may send to browsers. A private key is a number: one in some 250 is shorter than its 32 bytes unless it is
 * filled up.
 *
 * @returns {{ publicKey: string, privateKey: string }} in base64url
 */
export function vapidKeys() {
  const curve = createECDH('prime256v1');
  const publicKey = curve.generateKeys('base64url');
  const number = curve.getPrivateKey();
  const privateKey = Buffer.concat([Buffer.alloc(KEY_BYTES - number.length), number]).toString('base64url');
  return { publicKey, privateKey };
}

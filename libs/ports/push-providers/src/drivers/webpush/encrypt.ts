import webPush from 'web-push';
import { Refusal } from '../client/refusal.js';
import { invalidToken } from '../client/verdict.js';

const KEY_TEXT = /^[A-Za-z0-9_-]+={0,2}$/;

/**
 * One record of aes128gcm under a new key that only the browser of the subscription can derive.
 *
 * @throws Refusal when the keys of the subscription are none.
 */
export function encrypted(plaintext: string, p256dh: string, auth: string): Buffer {
  if (!KEY_TEXT.test(p256dh) || !KEY_TEXT.test(auth)) throw badKeys();
  try {
    return webPush.encrypt(p256dh, auth, plaintext, 'aes128gcm').cipherText;
  } catch {
    throw badKeys();
  }
}

const badKeys = (): Refusal => new Refusal(invalidToken('bad_keys'));

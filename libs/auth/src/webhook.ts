import { equalText } from './equal-text.js';
import { hmac, type SigningKey } from './signing-key.js';

/** The `X-Pusher-Signature` of a webhook: over the exact bytes of the body. */
export function signWebhook(key: SigningKey, body: string | Uint8Array): string {
  return hmac(key, body, 'hex');
}

/** Whether a webhook came from the holder of this app's secret, as a receiver checks it before parsing. */
export function verifyWebhook(key: SigningKey, body: string | Uint8Array, signature: string): boolean {
  return equalText(signature, signWebhook(key, body));
}

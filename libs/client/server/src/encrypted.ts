import { invalid } from './errors.js';
import type { Encryptor } from './options.js';
import { bytesOf } from './requests/crypto.js';
import { poly1305 } from './sealing/poly1305.js';
import { keyStream } from './sealing/salsa20.js';

const base64Of = (bytes: Uint8Array): string => {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
};

/** Seals with XSalsa20-Poly1305. */
function seal(key: Uint8Array, nonce: Uint8Array, text: Uint8Array): Uint8Array {
  // The first 32 bytes of the key stream are the one-time key of the tag.
  const stream = keyStream(key, nonce, 32 + text.length);
  const hidden = text.map((byte, at) => byte ^ (stream[32 + at] ?? 0));
  const sealed = new Uint8Array(16 + text.length);
  sealed.set(poly1305(stream.subarray(0, 32), hidden));
  sealed.set(hidden, 16);
  return sealed;
}

/** Seals publishes to `private-encrypted-…` channels under a master key of 32 bytes, in base64. */
export function encryptor(masterKeyBase64: string): Encryptor {
  const master = masterKeyOf(masterKeyBase64);
  const keyOf = async (channel: string): Promise<Uint8Array> => {
    const name = bytesOf(channel);
    const input = new Uint8Array(name.length + master.length);
    input.set(name);
    input.set(master, name.length);
    return new Uint8Array(await crypto.subtle.digest('SHA-256', input));
  };
  return {
    async seal(channel, text) {
      const nonce = crypto.getRandomValues(new Uint8Array(24));
      const sealed = seal(await keyOf(channel), nonce, bytesOf(text));
      return { nonce: base64Of(nonce), ciphertext: base64Of(sealed) };
    },
    sharedSecret: async (channel) => base64Of(await keyOf(channel)),
  };
}

function masterKeyOf(base64: string): Uint8Array {
  let bytes: Uint8Array;
  try {
    bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    throw invalid('the master key is not base64');
  }
  if (bytes.length !== 32) throw invalid(`the master key must have 32 bytes, not ${bytes.length}`);
  return bytes;
}

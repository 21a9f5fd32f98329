import nacl from 'tweetnacl';
import type { Decryptor } from './channel/channel.js';

const bytesOf = (base64: string): Uint8Array =>
  Uint8Array.from(atob(base64), (character) => character.codePointAt(0) ?? 0);

/** Reads encrypted channels with the secret that the app's own server gives with the authorization. */
export const secretbox: Decryptor = {
  open(sharedSecret, { nonce, ciphertext }) {
    try {
      const opened = nacl.secretbox.open(bytesOf(ciphertext), bytesOf(nonce), bytesOf(sharedSecret));
      return opened === null ? null : new TextDecoder().decode(opened);
    } catch {
      return null;
    }
  },
};

import { createHash, randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import nacl from 'tweetnacl';
import { expect, it } from 'vitest';
import { encryptor } from '../src/encrypted.js';

const MASTER = randomBytes(32);

it('an encryptor seals text that XSalsa20-Poly1305 of tweetnacl opens, each with its own nonce', async () => {
  const { seal, sharedSecret } = encryptor(MASTER.toString('base64'));
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme' }), fc.nat(300), async (text, more) => {
      const channel = 'private-encrypted-ü';
      const whole = text + 'x'.repeat(more);
      const { nonce, ciphertext } = await seal(channel, whole);
      const key = createHash('sha256').update(channel).update(MASTER).digest();
      expect(await sharedSecret(channel)).toBe(key.toString('base64'));
      const opened = nacl.secretbox.open(
        Buffer.from(ciphertext, 'base64'),
        Buffer.from(nonce, 'base64'),
        key,
      );
      expect(Buffer.from(opened ?? []).toString()).toBe(whole);
      expect((await seal(channel, whole)).nonce).not.toBe(nonce);
    }),
  );
});

it('an encryptor refuses a master key of another length or form', () => {
  expect(() => encryptor(randomBytes(31).toString('base64'))).toThrow('32 bytes, not 31');
  expect(() => encryptor('ü')).toThrow('not base64');
});

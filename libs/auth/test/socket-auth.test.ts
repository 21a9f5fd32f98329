import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { signChannelAuth, signUserAuth, verifyChannelAuth, verifyUserAuth } from '../src/index.js';
import { DOCS, SHOP } from './keys.js';

const socketId = '218734.4410928';
const lobby = '{"user_id":"u-17","user_info":{"name":"Ada"}}';
const EXAMPLES: [string, string | undefined, string][] = [
  ['private-orders', undefined, '3f5eabd8189117295aa8cd99ed849dfc2c2182a9a16e97a9fd68d1dabf9cf5a9'],
  ['private-cache-prices', undefined, 'f6c1ca6840c494e8d1cf9a2e072dc783e85a8faa345b299cb6f564e1d59bf38f'],
  ['private-encrypted-vault', undefined, '1fa535a0ba8e412d77540d8990bdab1b99dbe3ed8d1a9b32b453b08488785d19'],
  ['presence-lobby', lobby, '3c82997c9aea0f8be5f670ea93d6792979301e1ebe28ca771f8ebcefb5f52d74'],
];

describe('a channel signature', () => {
  it.each(EXAMPLES)('is as documented for %s', (channel, channelData, signature) => {
    const request = { socketId, channel, channelData };
    const auth = `app-key-7f3c:${signature}`;
    expect(signChannelAuth(DOCS, request)).toBe(auth);
    expect(verifyChannelAuth(DOCS, request, auth)).toBe(true);
  });

  it.each(EXAMPLES)('is refused in any other form for %s', (channel, channelData, signature) => {
    const request = { socketId, channel, channelData };
    const forms = [
      signature,
      `:${signature}`,
      `other-key:${signature}`,
      `app-key-7f3c:${signature.toUpperCase()}`,
      ` app-key-7f3c:${signature}`,
      `app-key-7f3c:${signature} `,
      '',
    ];
    for (const auth of forms) expect(verifyChannelAuth(DOCS, request, auth)).toBe(false);
  });

  it('covers channel data on presence channels only', () => {
    const auth = signChannelAuth(DOCS, { socketId, channel: 'private-orders' });
    expect(verifyChannelAuth(DOCS, { socketId, channel: 'private-orders', channelData: lobby }, auth)).toBe(
      true,
    );
    for (const channel of ['presence-lobby', 'presence-cache-lobby']) {
      const plain = signChannelAuth(DOCS, { socketId, channel });
      expect(verifyChannelAuth(DOCS, { socketId, channel, channelData: lobby }, plain)).toBe(false);
      expect(verifyChannelAuth(DOCS, { socketId, channel }, plain)).toBe(true);
    }
  });

  it('is worthless with one character changed', () => {
    const request = { socketId, channel: 'private-orders' };
    const auth = signChannelAuth(DOCS, request);
    fc.assert(
      fc.property(fc.nat(auth.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, other) => {
        fc.pre(auth[at] !== other);
        const changed = auth.slice(0, at) + other + auth.slice(at + 1);
        expect(verifyChannelAuth(DOCS, request, changed)).toBe(false);
      }),
    );
  });

  it('does not take characters that share low bits for equal', () => {
    const request = { socketId, channel: 'private-orders' };
    const auth = signChannelAuth(DOCS, request);
    const wide = auth.slice(0, -1) + String.fromCharCode(auth.charCodeAt(auth.length - 1) + 0x100);
    expect(verifyChannelAuth(DOCS, request, wide)).toBe(false);
  });
});

describe('a sign-in signature', () => {
  const userData = '{"id":"u-17","watchlist":["u-20","u-21"]}';
  const signature = '8f37f1efd66f5c6a49615ab3dee5bbdb486b9e9c450d4002eaa0cd833c54bd6d';
  const request = { socketId, userData };

  it('is as documented, with the key or bare', () => {
    expect(signUserAuth(DOCS, request)).toBe(`app-key-7f3c:${signature}`);
    expect(verifyUserAuth(DOCS, request, `app-key-7f3c:${signature}`)).toBe(true);
    expect(verifyUserAuth(DOCS, request, signature)).toBe(true);
  });

  it('is refused with another key, another case, other data, or another secret', () => {
    for (const auth of [`k_4f81d0c7b29e:${signature}`, signature.toUpperCase(), `:${signature}`, '']) {
      expect(verifyUserAuth(DOCS, request, auth)).toBe(false);
    }
    expect(verifyUserAuth(DOCS, { socketId, userData: `${userData} ` }, signature)).toBe(false);
    expect(verifyUserAuth(DOCS, request, signUserAuth(SHOP, request))).toBe(false);
  });
});

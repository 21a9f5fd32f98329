import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mintCapabilityToken, verifyCapabilityToken } from '../src/index.js';
import { signToken } from '../src/capability/mint.js';
import { DOCS, SHOP } from './keys.js';

const NOW = 1_767_225_700;
const EXAMPLE =
  'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6ImFwcC1rZXktN2YzYyJ9.eyJ4LXNlcnZpY2UtY2xpZW50LWlkIjoidS0xNyIsIngtc2VydmljZS1jYXBhYmlsaXR5Ijp7InJvb206KiI6WyJzdWJzY3JpYmUiLCJoaXN0b3J5Il0sInByaXZhdGUtcm9vbToxIjpbInB1Ymxpc2giLCJzdWJzY3JpYmUiXX0sImlhdCI6MTc2NzIyNTYwMCwiZXhwIjoxNzY3MjI5MjAwLCJqdGkiOiJ0b2stMDAwMSJ9.OEHtvQft98foUi3gUJa-FhvYE1NvpWtszA3Yxw1bIOg';
const HEADER = { alg: 'HS256', kid: 'app-key-7f3c' };
const CLAIMS = {
  'x-service-client-id': 'u-17',
  'x-service-capability': { 'room:*': ['subscribe'] },
  iat: NOW,
  exp: NOW + 3600,
  jti: 'tok-1',
};

const verdict = (token: string, now = NOW) => verifyCapabilityToken(token, DOCS, now);
const withClaims = (changes: object, now = NOW) =>
  verdict(signToken(DOCS, HEADER, { ...CLAIMS, ...changes }), now);
const opened = (token: string, now = NOW) => {
  const result = verdict(token, now);
  if (!result.ok) throw new Error(result.reason);
  return result.token;
};

/** A good token of about the given length: the nearest longer one. */
function ofLength(length: number): string {
  const empty = signToken(DOCS, HEADER, { ...CLAIMS, note: '' }).length;
  for (let size = Math.floor(((length - empty) * 3) / 4) - 4; ; size++) {
    const token = signToken(DOCS, HEADER, { ...CLAIMS, note: 'n'.repeat(size) });
    if (token.length >= length) return token;
  }
}

const patterns = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`c${at}`, ['subscribe']]));
const capability = (value: unknown) => withClaims({ 'x-service-capability': value }).ok;

describe('the worked example', () => {
  it('is what minting makes and verifying accepts', () => {
    const minted = mintCapabilityToken(DOCS, {
      clientId: 'u-17',
      capability: { 'room:*': ['subscribe', 'history'], 'private-room:1': ['publish', 'subscribe'] },
      issuedAt: 1_767_225_600,
      expiresAt: 1_767_229_200,
      jti: 'tok-0001',
    });
    expect(minted).toBe(EXAMPLE);
    const { capabilities, ...token } = opened(EXAMPLE);
    expect(token).toEqual({
      clientId: 'u-17',
      jti: 'tok-0001',
      issuedAt: 1_767_225_600,
      expiresAt: 1_767_229_200,
    });
    expect(capabilities.allows('subscribe', 'room:5')).toBe(true);
    expect(capabilities.allows('history', 'room:5')).toBe(true);
    expect(capabilities.allows('subscribe', 'other')).toBe(false);
    expect(capabilities.allows('publish', 'private-room:1')).toBe(true);
    expect(capabilities.allows('presence', 'room:5')).toBe(false);
  });

  it('is worthless with one character changed, added or dropped', () => {
    fc.assert(
      fc.property(fc.nat(EXAMPLE.length - 1), fc.string({ maxLength: 1 }), (at, other) => {
        fc.pre(EXAMPLE[at] !== other);
        expect(verdict(EXAMPLE.slice(0, at) + other + EXAMPLE.slice(at + 1)).ok).toBe(false);
        expect(verdict(`${EXAMPLE.slice(0, at)}A${other}${EXAMPLE.slice(at)}`).ok).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it('is worthless in every other spelling of its last character', () => {
    for (const last of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefhijklmnopqrstuvwxyz0123456789-_') {
      expect(verdict(EXAMPLE.slice(0, -1) + last).ok).toBe(last === 'g');
    }
  });
});

describe('a token', () => {
  it('is signed with HS256 by this app, and says so', () => {
    expect(verdict(signToken(DOCS, { ...HEADER, alg: 'none' }, CLAIMS)).ok).toBe(false);
    expect(verdict(signToken(DOCS, { ...HEADER, alg: 'RS256' }, CLAIMS)).ok).toBe(false);
    expect(verdict(signToken(DOCS, { ...HEADER, alg: 'hs256' }, CLAIMS)).ok).toBe(false);
    expect(verdict(signToken(DOCS, { ...HEADER, kid: 'other' }, CLAIMS)).ok).toBe(false);
    expect(verdict(signToken(DOCS, { alg: 'HS256' }, CLAIMS)).ok).toBe(false);
    expect(verdict(signToken(SHOP, HEADER, CLAIMS)).ok).toBe(false);
    const [header, claims] = signToken(DOCS, { ...HEADER, alg: 'none' }, CLAIMS).split('.');
    expect(verdict(`${header}.${claims}.`).ok).toBe(false);
  });

  it.each([
    { crit: ['x-new'] },
    { crit: [] },
    { crit: null },
    { crit: ['b64'], b64: false },
    { b64: false },
    { zip: 'DEF' },
    { enc: 'A256GCM' },
  ])('is refused when its header has %j, which is not implemented', (more) => {
    const [name = ''] = Object.keys(more);
    expect(verdict(signToken(DOCS, { ...HEADER, ...more }, CLAIMS))).toEqual({
      ok: false,
      reason: `capability token: ${name} is not supported`,
    });
  });

  it('has at most 8192 bytes', () => {
    expect(ofLength(8191).length).toBeLessThanOrEqual(8192);
    expect(verdict(ofLength(8191)).ok).toBe(true);
    expect(verdict(ofLength(8193))).toEqual({
      ok: false,
      reason: 'capability token is longer than 8192 bytes',
    });
  });

  it('has ids of 1 to 128 bytes', () => {
    for (const name of ['x-service-client-id', 'jti']) {
      for (const bad of [undefined, null, 7, '', 'x'.repeat(129), 'é'.repeat(65)]) {
        expect(withClaims({ [name]: bad }).ok).toBe(false);
      }
      for (const good of ['x', 'x'.repeat(128), 'é'.repeat(64)])
        expect(withClaims({ [name]: good }).ok).toBe(true);
    }
  });

  it('has whole seconds, with 30 s of tolerance, and a day at most', () => {
    for (const name of ['iat', 'exp', 'nbf']) {
      for (const bad of [null, '1', 1.5, 1e300]) expect(withClaims({ [name]: bad }).ok).toBe(false);
    }
    expect(withClaims({ iat: undefined }).ok).toBe(false);
    expect(withClaims({ exp: undefined }).ok).toBe(false);
    expect(withClaims({ iat: NOW + 30 }).ok).toBe(true);
    expect(withClaims({ iat: NOW + 31 }).ok).toBe(false);
    expect(withClaims({ nbf: NOW + 30 }).ok).toBe(true);
    expect(withClaims({ nbf: NOW + 31 }).ok).toBe(false);
    expect(withClaims({}, NOW + 3600 + 29).ok).toBe(true);
    expect(withClaims({}, NOW + 3600 + 30)).toEqual({ ok: false, reason: 'capability token expired' });
    expect(withClaims({ exp: NOW + 86_400 }).ok).toBe(true);
    expect(withClaims({ exp: NOW + 86_401 }).ok).toBe(false);
  });

  it('has a map of at most 100 patterns, plain or as text', () => {
    expect(capability(patterns(100))).toBe(true);
    expect(capability(JSON.stringify(patterns(100)))).toBe(true);
    expect(capability({})).toBe(true);
    expect(capability({ 'room:*': ['message_update_own', 'message-update-any'] })).toBe(true);
    const bad = [
      undefined,
      [],
      'no json',
      '[]',
      patterns(101),
      { '': [] },
      { c: 'subscribe' },
      { c: ['*'] },
      { c: [1] },
    ];
    for (const value of bad) expect(capability(value)).toBe(false);
  });

  it('takes underscores for hyphens', () => {
    const token = signToken(DOCS, HEADER, {
      ...CLAIMS,
      'x-service-capability': { c: ['annotation_delete_own'] },
    });
    expect(opened(token).capabilities.allows('annotation-delete-own', 'c')).toBe(true);
  });

  it('may carry other claims and is never a reason to throw', () => {
    expect(withClaims({ sub: 'x', aud: ['y'] }).ok).toBe(true);
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.string(), (header, claims, text) => {
        const token = signToken(DOCS, { ...HEADER, header }, claims as object);
        expect(typeof verdict(token).ok).toBe('boolean');
        expect(verdict(text).ok).toBe(false);
      }),
    );
  });
});

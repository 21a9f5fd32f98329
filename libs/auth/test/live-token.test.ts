import { describe, expect, it } from 'vitest';
import {
  admitToken,
  mintCapabilityToken,
  untilExpiryMs,
  verifyCapabilityToken,
  withdrawnSubscriptions,
  type TokenVerdict,
} from '../src/index.js';
import { DOCS } from './keys.js';

const NOW = 1_767_225_700;
const ACME = { clientId: 'x-acme-client-id', capability: 'x-acme-capability' };
const content = {
  clientId: 'u-17',
  capability: { 'room:*': ['subscribe', 'presence'] },
  issuedAt: NOW,
  expiresAt: NOW + 60,
  jti: 'tok-1',
};
const token = mintCapabilityToken(DOCS, content);
const verified = (now = NOW): TokenVerdict => verifyCapabilityToken(token, DOCS, now);

describe('a token on a socket', () => {
  it('is taken over by who has no identity yet, or the same', () => {
    for (const identity of [null, 'u-17']) expect(admitToken(verified(), { identity }).ok).toBe(true);
    expect(admitToken(verified(), { identity: 'u-18' })).toEqual({
      ok: false,
      reason: 'capability token is for another client',
    });
  });

  it('is accepted until 30 s past its end, which is the clock skew', () => {
    for (const passed of [59, 60, 89])
      expect(admitToken(verified(NOW + passed), { identity: null }).ok).toBe(true);
    expect(admitToken(verified(NOW + 90), { identity: null })).toEqual({
      ok: false,
      reason: 'capability token expired',
    });
  });

  it('knows how long it still holds', () => {
    expect(untilExpiryMs(content, (NOW + 59) * 1000 + 1)).toBe(999);
    expect(untilExpiryMs(content, (NOW + 61) * 1000)).toBe(0);
  });

  it('takes away what it does not permit', () => {
    const verdict = verified();
    if (!verdict.ok) throw new Error(verdict.reason);
    const held = [
      { name: 'room:1', needs: ['subscribe'] },
      { name: 'presence-room:1', needs: ['subscribe', 'presence'] },
      { name: 'room:2', needs: ['subscribe', 'history'] },
      { name: 'room:*', needs: ['subscribe'] },
      { name: 'other', needs: ['subscribe'] },
    ] as const;
    expect(withdrawnSubscriptions(held, verdict.token.capabilities)).toEqual([
      'presence-room:1',
      'room:2',
      'other',
    ]);
  });
});

it("carries another vendor's word in its claims where the settings say so", () => {
  const theirs = mintCapabilityToken(DOCS, content, ACME);
  expect(verifyCapabilityToken(theirs, DOCS, NOW, ACME)).toMatchObject({
    ok: true,
    token: { clientId: 'u-17' },
  });
  expect(verifyCapabilityToken(theirs, DOCS, NOW).ok).toBe(false);
  expect(verifyCapabilityToken(token, DOCS, NOW, ACME).ok).toBe(false);
});

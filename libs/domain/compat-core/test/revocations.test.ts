import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Capability } from '../src/capability.js';
import { CompatError } from '../src/compat-error.js';
import { concerns, readRevocation } from '../src/revocations.js';

const NOW = 1_750_000_000_000;
const token = {
  keyName: 'k',
  issuedMs: NOW - 1000,
  clientId: 'ada',
  revocationKey: 'group-7',
  capability: Capability.parse('{"chat:*":["subscribe"]}'),
};
const of = (type: 'channel' | 'clientId' | 'revocationKey', value: string, issuedBefore = NOW) => ({
  type,
  value,
  issuedBefore,
  appliesAt: NOW,
});

describe('revocations', () => {
  it('concern tokens of a client, of a key of theirs, and those that can do anything on a channel', () => {
    expect(concerns(of('clientId', 'ada'), token)).toBe(true);
    expect(concerns(of('clientId', 'bob'), token)).toBe(false);
    expect(concerns(of('revocationKey', 'group-7'), token)).toBe(true);
    expect(concerns(of('channel', 'chat:x'), token)).toBe(true);
    expect(concerns(of('channel', 'orders'), token)).toBe(false);
  });

  it('never concern a token that was issued at that time or later', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10_000 }), (laterMs) => {
        const issuedBefore = token.issuedMs - laterMs;
        expect(concerns(of('clientId', 'ada', issuedBefore), token)).toBe(false);
      }),
    );
  });

  it('are read, or refused as 40000, whatever is asked', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), fc.anything(), (targets, issuedBefore, allowReauthMargin) => {
        try {
          const read = readRevocation({ targets, issuedBefore, allowReauthMargin }, NOW);
          expect(read.targets.length).toBeGreaterThan(0);
        } catch (error) {
          expect((error as CompatError).code).toBe(40_000);
        }
      }),
    );
  });

  it('apply at once, or after the time to bring another token', () => {
    const targets = ['clientId:ada'];
    expect(readRevocation({ targets }, NOW).appliesAt).toBe(NOW);
    expect(readRevocation({ targets, allowReauthMargin: true }, NOW).appliesAt).toBe(NOW + 30_001);
  });
});

import { MemoryCache } from '@carillon/cache';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Capability } from '../src/capability.js';
import { CompatError } from '../src/compat-error.js';
import { concerns, readRevocation, Revocations } from '../src/revocations.js';

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

  it('are known to every process at once, also to one that has read the others before', async () => {
    const cache = new MemoryCache({ capacity: 100, defaultTtlMs: NOW, cleanupIntervalMs: NOW });
    const [here, there] = [new Revocations(cache, 60_000), new Revocations(cache, 60_000)];
    const revoke = (target: string): Promise<unknown> =>
      here.add('k', { targets: [target], issuedBefore: NOW, appliesAt: NOW }, NOW);
    expect(await there.of(token)).toBeNull();
    await revoke('clientId:bob');
    for (let asked = 0; asked < 2; asked += 1) expect(await there.of(token)).toBeNull();
    await revoke('clientId:ada');
    expect(await there.of(token)).toMatchObject({ type: 'clientId', value: 'ada' });
    expect(await there.list('k')).toHaveLength(2);
    await cache.close();
  });

  it('apply at once, or after the time to bring another token', () => {
    const targets = ['clientId:ada'];
    expect(readRevocation({ targets }, NOW).appliesAt).toBe(NOW);
    expect(readRevocation({ targets, allowReauthMargin: true }, NOW).appliesAt).toBe(NOW + 30_001);
  });
});

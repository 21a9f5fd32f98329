import { describe, expect, it } from 'vitest';
import { memorySubject } from './manual-clock.js';

const RULE = { identifier: 'api', limit: 1, windowMs: 60_000 };

describe('subjects of the memory driver', () => {
  it('are dropped when there are too many, least recently used first, and then start anew', async () => {
    const { rateLimit } = memorySubject(3);
    for (const subject of ['a', 'b', 'c', 'a', 'd']) await rateLimit.check(RULE, subject);
    expect(rateLimit.size).toBe(3);
    expect((await rateLimit.check(RULE, 'a')).allowed).toBe(false);
    expect((await rateLimit.check(RULE, 'b')).allowed).toBe(true);
  });

  it('are never more than 100 000 unless told otherwise', async () => {
    const { rateLimit } = memorySubject();
    for (let index = 0; index < 100_050; index += 1) await rateLimit.check(RULE, String(index));
    expect(rateLimit.size).toBe(100_000);
    expect((await rateLimit.check(RULE, '60')).allowed).toBe(false);
  });

  it('are forgotten when their window is over and others come', async () => {
    const { rateLimit, pass } = memorySubject();
    for (let index = 0; index < 100; index += 1) await rateLimit.check(RULE, `old:${index}`);
    await pass(RULE.windowMs);
    for (let index = 0; index < 50; index += 1) await rateLimit.check(RULE, `new:${index}`);
    expect(rateLimit.size).toBe(50);
  });
});

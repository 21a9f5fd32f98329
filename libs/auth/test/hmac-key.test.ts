import { createHmac } from 'node:crypto';
import { inspect } from 'node:util';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HmacKey } from '../src/hmac-key.js';

describe('a signature', () => {
  it('is the HMAC-SHA256 of any text or bytes with any secret, the same after any other', () => {
    const message = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.uint8Array({ maxLength: 300 }),
      fc.integer({ min: 2700, max: 9000 }).map((length) => 'é'.repeat(length)),
    );
    const secret = fc.uint8Array({ maxLength: 150 });
    fc.assert(
      fc.property(fc.array(fc.tuple(secret, message), { minLength: 1, maxLength: 4 }), (all) => {
        const keys = all.map(([bytes]) => new HmacKey(bytes));
        for (const encoding of ['hex', 'base64url'] as const)
          for (const [at, [bytes, text]] of all.entries())
            expect(keys[at]?.sign(text, encoding)).toBe(
              createHmac('sha256', bytes).update(text).digest(encoding),
            );
      }),
    );
  });

  it('does not tell its secret when it is printed', () => {
    const key = new HmacKey(Buffer.from('very-secret'));
    expect(inspect(key, { depth: 9, showHidden: true }) + JSON.stringify(key)).not.toMatch(/very|7665/);
  });
});

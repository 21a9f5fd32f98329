import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Capability } from '../src/capability.js';
import { CompatError } from '../src/compat-error.js';

const OPERATIONS = ['publish', 'subscribe', 'presence', 'history'] as const;
const pattern = fc.constantFrom('*', 'chat:*', 'chat:x', '*:x', 'orders', 'a*b*');
const channel = fc.constantFrom('chat:x', 'chat:y', 'orders', 'other', 'b:x', 'a*b*');
const operations = fc.oneof(
  fc.constant(['*']),
  fc.uniqueArray(fc.constantFrom(...OPERATIONS), { minLength: 1 }),
);
const capability = fc
  .dictionary(pattern, operations, { minKeys: 1 })
  .map((grants) => Capability.parse(JSON.stringify(grants)));
import { granted } from '../src/token-request.js';

describe('capabilities', () => {
  it('narrowed never grant what the key or the request does not', () => {
    fc.assert(
      fc.property(
        capability,
        capability,
        channel,
        fc.constantFrom(...OPERATIONS),
        (key, asked, name, one) => {
          const granted = key.narrow(asked);
          if (granted.allows(one, name)) expect(key.allows(one, name) && asked.allows(one, name)).toBe(true);
        },
      ),
    );
  });

  it('narrow a broad request to what the key has', () => {
    const key = Capability.parse('{"chat:*":["publish","subscribe"]}');
    const asked = Capability.parse('{"*":["*"]}');
    expect(key.narrow(asked).toString()).toBe('{"chat:*":["publish","subscribe"]}');
    expect(key.narrow(Capability.parse('{"orders":["publish"]}')).isEmpty).toBe(true);
  });

  it('list the operations of a pattern in alphabetical order as text, whatever the order they came in', () => {
    const text = '{"b":["subscribe","history","publish"],"a":["*"]}';
    const sorted = '{"b":["history","publish","subscribe"],"a":["*"]}';
    expect(Capability.parse(text).toString()).toBe(sorted);
    expect(granted({ capability: Capability.parse(sorted) }, text)).toBe(sorted);
    expect(granted({ capability: Capability.parse(text) }, '')).toBe(sorted);
  });

  it('match one star anywhere, none when there are several', () => {
    const grants = Capability.parse('{"a*z":["publish"],"b*c*":["publish"],"[*]q*":["publish"]}');
    expect(grants.allows('publish', 'abcz')).toBe(true);
    expect(grants.allows('publish', 'a')).toBe(false);
    expect(grants.allows('publish', 'bxcx')).toBe(false);
    expect(grants.allows('publish', 'queue')).toBe(true);
  });

  it('are refused as 40000 or read, whatever the text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        try {
          Capability.parse(text);
        } catch (error) {
          expect(error).toBeInstanceOf(CompatError);
          expect((error as CompatError).code).toBe(40_000);
        }
      }),
    );
  });
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Token, TokenHolders } from '../../src/users/token-holders.js';
import { subscriber, hub } from '../samples.js';

const NAMES = ['a', 'b', '__proto__'];
const name = fc.constantFrom(...NAMES);
const token: fc.Arbitrary<Token> = fc.record({ jti: name, clientId: name });
const steps = fc.array(fc.tuple(fc.nat(4), fc.option(token)), { maxLength: 60 });
const revoked = fc.record({ jti: fc.option(name), clientId: fc.option(name) });

describe('the holders of tokens', () => {
  it('are those whose last token has the id or is of the client, each once', () => {
    const home = hub();
    const connections = Array.from({ length: 5 }, (_, index) => subscriber(home, `1.${index}`));
    fc.assert(
      fc.property(steps, revoked, (program, { jti, clientId }) => {
        const holders = new TokenHolders();
        const model = new Map<object, Token>();
        for (const [which, held] of program) {
          const one = connections[which] ?? subscriber();
          if (held === null) {
            holders.release(one);
            model.delete(one);
          } else {
            holders.hold(one, held);
            model.set(one, held);
          }
          expect(holders.tokenOf(one)).toEqual(held);
          expect(holders.size).toBe(model.size);
        }
        const meant = connections.filter((one) => {
          const held = model.get(one);
          return held !== undefined && (held.jti === jti || held.clientId === clientId);
        });
        expect(holders.holdersOf({ jti, clientId })).toEqual(new Set(meant));
      }),
    );
  });

  it('may leave while they are gone through', () => {
    const holders = new TokenHolders();
    const home = hub();
    const all = Array.from({ length: 3 }, (_, which) => subscriber(home, `1.${which}`));
    for (const one of all) holders.hold(one, { jti: 'a', clientId: 'u' });
    let seen = 0;
    for (const one of holders.holdersOf({ jti: 'a', clientId: 'u' })) {
      holders.release(one);
      seen += 1;
    }
    expect([seen, holders.size]).toEqual([3, 0]);
  });
});

import * as fc from 'fast-check';
import { as } from '../samples.js';
import type { Node } from './nodes.js';

export const USERS = ['ada', 'bo', 'cy'];
export const NODES = 3;

/** Consecutive steps of one connection; different connections run concurrently. */
export const deeds = fc.record({
  node: fc.nat({ max: NODES - 1 }),
  user: fc.constantFrom(...USERS),
  acts: fc.array(fc.constantFrom('join', 'join', 'leave', 'lease', 'count'), { minLength: 1, maxLength: 5 }),
});
export type Deeds = typeof deeds extends fc.Arbitrary<infer Value> ? Value : never;

/** Whether the connection is present at the end: as reported, and always absent after leaving. */
export async function act(
  { presence, counts }: Node,
  { user, acts }: Deeds,
  socketId: string,
): Promise<boolean> {
  let isThere = false;
  for (const [at, what] of acts.entries()) {
    try {
      if (what === 'join') {
        await presence.join(as(user, socketId), Infinity);
        isThere = true;
      } else if (what === 'count') {
        await counts.set('shop', 'news', at);
      } else {
        await presence.leave(as(user, socketId), what === 'lease' ? 15_000 : 0, 'left');
        isThere = false;
      }
    } catch {
      // A refused join of a present connection changes nothing.
      if (what === 'leave' || what === 'lease') isThere = false;
    }
  }
  return isThere;
}

import * as fc from 'fast-check';
import { as } from '../samples.js';
import type { Node } from './nodes.js';

export const USERS = ['ada', 'bo', 'cy'];
export const NODES = 3;

/** What one connection does, one after the other; different ones do not wait for each other. */
export const deeds = fc.record({
  node: fc.nat({ max: NODES - 1 }),
  user: fc.constantFrom(...USERS),
  acts: fc.array(fc.constantFrom('join', 'join', 'leave', 'lease', 'count'), { minLength: 1, maxLength: 5 }),
});
export type Deeds = typeof deeds extends fc.Arbitrary<infer Value> ? Value : never;

/** Whether the connection is there in the end: as far as it was told, and always gone when it went. */
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
      // A join that was refused for a connection that is there already changes nothing.
      if (what === 'leave' || what === 'lease') isThere = false;
    }
  }
  return isThere;
}

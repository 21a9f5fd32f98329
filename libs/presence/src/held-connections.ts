/**
 * Which connections a user has in a place. Nearly always it is one, which is then held as it is: a set of its own for
 * every member would be the largest part of what a member costs. Null: none.
 */
export type HeldConnections = string | Set<string> | null;

export const holds = (held: HeldConnections, socketId: string): boolean =>
  held instanceof Set ? held.has(socketId) : held === socketId;

/** With this one too. What was given must not be used again, here and below. */
export function held(held: HeldConnections, socketId: string): HeldConnections {
  if (held instanceof Set) return held.add(socketId);
  return held === null || held === socketId ? socketId : new Set([held, socketId]);
}

/** Without this one. */
export function released(held: HeldConnections, socketId: string): HeldConnections {
  if (!(held instanceof Set)) return held === socketId ? null : held;
  held.delete(socketId);
  if (held.size > 1) return held;
  const [last = null] = held;
  return last;
}

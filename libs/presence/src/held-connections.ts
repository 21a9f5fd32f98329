/**
 * Connections of a user in a place. Nearly always one, stored without a set: a set per member would dominate the
 * memory of members. Null: none.
 */
export type HeldConnections = string | Set<string> | null;

export const holds = (held: HeldConnections, socketId: string): boolean =>
  held instanceof Set ? held.has(socketId) : held === socketId;

/** Adds a connection. The argument must not be reused, here and below. */
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

import { timingSafeEqual } from 'node:crypto';

/** Operation on a published message. */
export type MutationKind = 'append' | 'delete' | 'update';

/** Messages that an actor may change. */
export type Grant = 'any' | 'own';

/**
 * Returns the messages that a connection with these capabilities may change; null: none. Names with `-` and `_` are
 * equal.
 */
export function grantOf(what: string, capabilities: Iterable<string>): Grant | null {
  const held = new Set([...capabilities].map((name) => name.replaceAll('-', '_')));
  const wanted = what.replaceAll('-', '_');
  if (held.has(`${wanted}_any`)) return 'any';
  return held.has(`${wanted}_own`) ? 'own' : null;
}

/** Whether the actor may change a message of this creator; null: a server or unknown. */
export function mayChange(
  { grant, client_id: actor }: { readonly grant: Grant; readonly client_id?: string | undefined },
  creatorId: string | null,
): boolean {
  if (grant === 'any') return true;
  return actor !== undefined && creatorId !== null && sameText(actor, creatorId);
}

/** Takes the same time wherever they differ. */
function sameText(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

import { timingSafeEqual } from 'node:crypto';

/** What may be done to a message after it was published. */
export type MutationKind = 'append' | 'delete' | 'update';

/** Whose messages somebody may change. */
export type Grant = 'any' | 'own';

/** What a connection with these capabilities may change; null: nothing. They are written with `-` or with `_`. */
export function grantOf(what: string, capabilities: Iterable<string>): Grant | null {
  const held = new Set([...capabilities].map((name) => name.replaceAll('-', '_')));
  const wanted = what.replaceAll('-', '_');
  if (held.has(`${wanted}_any`)) return 'any';
  return held.has(`${wanted}_own`) ? 'own' : null;
}

/** Whether that may be changed whose creator this is; null: a server, or nobody known. */
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

/** Everything a capability can grant. Tokens may spell them with underscores too. */
export const OPERATIONS = [
  'subscribe',
  'publish',
  'history',
  'presence',
  'annotation-subscribe',
  'annotation-publish',
  'annotation-delete-own',
  'annotation-delete-any',
  'message-update-own',
  'message-update-any',
  'message-delete-own',
  'message-delete-any',
  'message-append-own',
  'message-append-any',
  'push-admin',
  'push-subscribe',
] as const;

/** One thing a capability can grant. */
export type Operation = (typeof OPERATIONS)[number];

const KNOWN: ReadonlySet<string> = new Set(OPERATIONS);

/** Returns the operation of a name; null if unknown. */
export function operationNamed(spelling: string): Operation | null {
  const name = spelling.replaceAll('_', '-');
  return KNOWN.has(name) ? (name as Operation) : null;
}

/** Operations allowed without capabilities, and by a sign-in without a list for them. */
export const OPEN_OPERATIONS: ReadonlySet<Operation> = new Set([
  'subscribe',
  'publish',
  'history',
  'presence',
]);

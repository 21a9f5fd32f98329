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

/** The operation a spelling stands for; null when there is none. */
export function operationNamed(spelling: string): Operation | null {
  const name = spelling.replaceAll('_', '-');
  return KNOWN.has(name) ? (name as Operation) : null;
}

/** What a connection without capabilities may do, and one whose sign-in lists say nothing about it. */
export const OPEN_OPERATIONS: ReadonlySet<Operation> = new Set([
  'subscribe',
  'publish',
  'history',
  'presence',
]);

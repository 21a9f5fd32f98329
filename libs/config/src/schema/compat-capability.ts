const OPERATIONS = new Set([
  'publish',
  'subscribe',
  'presence',
  'history',
  'channel-metadata',
  'message-update-own',
  'message-update-any',
  'message-delete-own',
  'message-delete-any',
  'message-append-own',
  'message-append-any',
  'annotation-publish',
  'annotation-subscribe',
  'annotation-delete-own',
  'annotation-delete-any',
  'push-subscribe',
  'push-admin',
  'stats',
  'privileged-headers',
  'object-subscribe',
  'object-publish',
  '*',
]);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Returns the problem of a key's capability, given as JSON text; null if it is valid. */
export function capabilityProblem(text: string): string | null {
  const value = parsed(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'must be a JSON object';
  for (const operations of Object.values(value) as unknown[]) {
    if (!Array.isArray(operations) || operations.length === 0) return 'operations must be a list, not empty';
    const unknown = operations.find((operation) => !OPERATIONS.has(operation as string)) as unknown;
    if (unknown !== undefined) return `unknown operation ${JSON.stringify(unknown)}`;
    if (operations.includes('*') && operations.length > 1)
      return '"*" must be the only operation of its list';
  }
  return null;
}

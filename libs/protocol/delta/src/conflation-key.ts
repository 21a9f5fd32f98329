const MAX_BYTES = 256;
/** Characters that keys must not contain: keys are cut out of frames as text. */
// oxlint-disable-next-line no-control-regex
const UNSAFE = /["\\\u0000-\u001F]/;

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Returns the group of a message: the value at a path of the frame, as text. A path of one member is also looked up
 * in `data`, an object or its text. Null: no usable value, so the message has no group.
 */
export function conflationKey(path: string, frame: JsonObject): string | null {
  const members = path.split('.');
  let value: unknown = frame;
  for (const member of members) value = memberOf(value, member);
  if (value === undefined && members.length === 1) value = memberOf(dataOf(frame), path);
  return usable(value);
}

function memberOf(value: unknown, member: string): unknown {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject && Object.hasOwn(value, member) ? (value as JsonObject)[member] : undefined;
}

function dataOf(frame: JsonObject): unknown {
  const data = memberOf(frame, 'data');
  if (typeof data !== 'string') return data;
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

function usable(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return null;
  const key = String(value);
  const fits = key.isWellFormed() && !UNSAFE.test(key) && Buffer.byteLength(key) <= MAX_BYTES;
  return fits ? key : null;
}

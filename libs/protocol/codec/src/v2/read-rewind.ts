import { isJsonObject, memberOf } from '../json/parse-object.js';

/** Rewind of a subscription: a number of messages, or of seconds. */
export type Rewind = { readonly count: number } | { readonly seconds: number };

/** Parses a given `rewind`. Undefined: malformed. */
export function readRewind(value: unknown): Rewind | undefined {
  if (!isJsonObject(value)) return countOf(value);
  const count = memberOf(value, 'count');
  if (count !== undefined) return countOf(count);
  const seconds = positive(memberOf(value, 'seconds') ?? memberOf(value, 'duration_seconds'));
  return seconds === undefined ? undefined : { seconds };
}

function countOf(value: unknown): Rewind | undefined {
  const count = positive(value);
  return count === undefined ? undefined : { count };
}

/** An integer of at least 1, or its decimal text. */
function positive(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^[1-9]\d{0,15}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 1 ? number : undefined;
}

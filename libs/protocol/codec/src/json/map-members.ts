import { afterString, afterValue, afterWhitespace } from './skip.js';

/**
 * Goes through the members of an object, from text that JSON.parse has read as one: names as read, not as spelled,
 * values exactly as written. Linear in the text.
 */
export function* membersOfText(objectText: string): Generator<readonly [name: string, valueText: string]> {
  let at = afterWhitespace(objectText, objectText.indexOf('{') + 1);
  while (at < objectText.length && objectText[at] === '"') {
    const nameEnd = afterString(objectText, at);
    const start = afterWhitespace(objectText, afterWhitespace(objectText, nameEnd) + ':'.length);
    const end = afterValue(objectText, start);
    yield [JSON.parse(objectText.slice(at, nameEnd)) as string, objectText.slice(start, end)];
    at = afterWhitespace(objectText, afterWhitespace(objectText, end) + ','.length);
  }
}

/** Returns the text of an object with these members; null if there are none. */
export function objectText(members: Iterable<readonly [name: string, valueText: string]>): string | null {
  const parts: string[] = [];
  for (const [name, valueText] of members) parts.push(`${JSON.stringify(name)}:${valueText}`);
  return parts.length === 0 ? null : `{${parts.join(',')}}`;
}

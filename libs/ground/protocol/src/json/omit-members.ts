import { afterString, afterValue, afterWhitespace } from './skip.js';

/**
 * The text of an object without some of its members, from text that JSON.parse has read as an object; the others stay
 * exactly as written, white space around them goes. Null when none are left. Names count as read, not as spelled.
 */
export function omitMembers(objectText: string, omitted: ReadonlySet<string>): string | null {
  const kept: string[] = [];
  let at = afterWhitespace(objectText, objectText.indexOf('{') + 1);
  while (at < objectText.length && objectText[at] === '"') {
    const nameEnd = afterString(objectText, at);
    const start = afterWhitespace(objectText, afterWhitespace(objectText, nameEnd) + ':'.length);
    const end = afterValue(objectText, start);
    const name = JSON.parse(objectText.slice(at, nameEnd)) as string;
    if (!omitted.has(name)) kept.push(`${objectText.slice(at, nameEnd)}:${objectText.slice(start, end)}`);
    at = afterWhitespace(objectText, afterWhitespace(objectText, end) + ','.length);
  }
  return kept.length === 0 ? null : `{${kept.join(',')}}`;
}

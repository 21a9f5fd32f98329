import { afterString, afterValue, afterWhitespace } from './skip.js';

/**
 * The texts of all members of an object, by name and exactly as written, in one pass over text that JSON.parse has read
 * as an object. Of equal names the last wins, as there.
 */
export function rawMembers(objectText: string): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  let at = afterWhitespace(objectText, objectText.indexOf('{') + 1);
  while (at < objectText.length && objectText[at] === '"') {
    const nameEnd = afterString(objectText, at);
    const start = afterWhitespace(objectText, afterWhitespace(objectText, nameEnd) + ':'.length);
    const end = afterValue(objectText, start);
    const spelled = objectText.slice(at + 1, nameEnd - 1);
    const name = spelled.includes('\\') ? nameOf(objectText.slice(at, nameEnd)) : spelled;
    members.set(name, objectText.slice(start, end));
    at = afterWhitespace(objectText, afterWhitespace(objectText, end) + ','.length);
  }
  return members;
}

/** Text that JSON.parse would not read has names all the same. */
function nameOf(spelled: string): string {
  try {
    return String(JSON.parse(spelled));
  } catch {
    return spelled;
  }
}

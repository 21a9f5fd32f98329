import { afterString, afterValue, afterWhitespace } from './skip.js';

/**
 * The text of one member's value, exactly as written, from text that JSON.parse has read as an object. As there, the
 * last of equal names wins, and names count as read, not as spelled: `"d\u0061ta"` is `data`. Null when there is no
 * such member. Linear in the text, constant in depth.
 */
export function rawMember(objectText: string, name: string): string | null {
  let found: string | null = null;
  let at = afterWhitespace(objectText, objectText.indexOf('{') + 1);
  while (at < objectText.length && objectText[at] === '"') {
    const nameEnd = afterString(objectText, at);
    const start = afterWhitespace(objectText, afterWhitespace(objectText, nameEnd) + ':'.length);
    const end = afterValue(objectText, start);
    if (isName(objectText, at, nameEnd, name)) found = objectText.slice(start, end);
    at = afterWhitespace(objectText, afterWhitespace(objectText, end) + ','.length);
  }
  return found;
}

function isName(text: string, start: number, end: number, name: string): boolean {
  if (end - start === name.length + 2 && text.startsWith(name, start + 1)) return true;
  const spelled = text.slice(start, end);
  return spelled.includes('\\') && JSON.parse(spelled) === name;
}

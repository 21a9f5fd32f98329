import { afterValue, afterWhitespace } from './skip.js';

/** The elements of a list that JSON.parse has accepted, each exactly as written. Linear in the text. */
export function rawElements(listText: string): string[] {
  const elements: string[] = [];
  let at = afterWhitespace(listText, listText.indexOf('[') + 1);
  while (at < listText.length && listText[at] !== ']') {
    const end = afterValue(listText, at);
    // Not a value: the text is not JSON, and parsing cannot continue.
    if (end === at) break;
    elements.push(listText.slice(at, end));
    at = afterWhitespace(listText, end);
    if (listText[at] === ',') at = afterWhitespace(listText, at + 1);
  }
  return elements;
}

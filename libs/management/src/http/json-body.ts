import { ServiceError } from '@carillon/errors';

const MAX_DEPTH = 32;
const utf8 = new TextDecoder('utf-8', { fatal: true });

const refused = (text: string): ServiceError => new ServiceError('invalid_input', { text });

/**
 * Parses a request body. Undefined when it is empty.
 *
 * @throws ServiceError `invalid_input` if it is not UTF-8 JSON, is nested deeper than 32, or repeats a member.
 */
export function parseJsonBody(bytes: Buffer | undefined): unknown {
  if (bytes === undefined || bytes.length === 0) return undefined;
  let text: string;
  let value: unknown;
  try {
    text = utf8.decode(bytes);
    value = JSON.parse(text);
  } catch {
    throw refused('the body is not valid JSON');
  }
  checkMembers(text);
  return value;
}

/** Names of the members of one open object; null for an array. */
type Open = Set<string> | null;

/** Walks JSON that is known to be valid, since `JSON.parse` keeps the last of two equal members silently. */
function checkMembers(text: string): void {
  const open: Open[] = [];
  let expectsName = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') {
      const end = endOfString(text, at);
      if (expectsName) addName(open.at(-1) ?? null, text.slice(at, end + 1));
      expectsName = false;
      at = end;
    } else if (character === '{' || character === '[') {
      open.push(character === '{' ? new Set() : null);
      if (open.length > MAX_DEPTH) throw refused(`the body is nested deeper than ${MAX_DEPTH}`);
      expectsName = character === '{';
    } else if (character === '}' || character === ']') {
      open.pop();
      expectsName = false;
    } else if (character === ',') expectsName = open.at(-1) instanceof Set;
  }
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

function addName(names: Open, quoted: string): void {
  const name = JSON.parse(quoted) as string;
  if (name === '__proto__') throw refused('a member must not be named __proto__');
  if (names === null) return;
  if (names.has(name)) throw refused(`the member ${JSON.stringify(name.slice(0, 64))} is repeated`);
  names.add(name);
}

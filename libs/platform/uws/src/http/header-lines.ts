import { STATUS_CODES } from 'node:http';

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
// oxlint-disable-next-line no-control-regex -- control characters are exactly what must not pass
const UNPRINTABLE = /[\u0000-\u0008\u000A-\u001F\u007F]/;

const statusLines = new Map<number, string>();

/** Returns the status line; cached by status. */
export function statusLine(status: number): string {
  let line = statusLines.get(status);
  if (line === undefined) {
    line = `${status} ${STATUS_CODES[status] ?? 'Unknown'}`;
    if (statusLines.size < 1000) statusLines.set(status, line);
  }
  return line;
}

/**
 * The values of a header, each a line of its own.
 *
 * @throws TypeError when name or value could break out of its line.
 */
export function headerValues(name: string, value: string | number | readonly string[]): readonly string[] {
  const values = typeof value === 'object' ? value.map(String) : [String(value)];
  if (!TOKEN.test(name)) throw new TypeError(`header name ${JSON.stringify(name)} is not valid`);
  if (values.some((one) => UNPRINTABLE.test(one)))
    throw new TypeError(`header ${name} holds control characters`);
  return values;
}

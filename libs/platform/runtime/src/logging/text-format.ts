import type { Level } from './levels.js';
import type { LogDestination, LogRecord } from './record.js';

const COLOR: Record<Level, number> = { trace: 35, debug: 34, info: 32, warn: 33, error: 31 };
const DIM = 2;

const CONTROL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const PLAIN = /^[^\s"=\p{Cc}\p{Cf}]+$/u;

const escape = (text: string): string =>
  text.replaceAll(CONTROL, (c) => `\\u${(c.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`);

function shown(value: unknown): string {
  if (typeof value === 'string' && PLAIN.test(value)) return value;
  return escape(JSON.stringify(value) ?? 'null');
}

export interface TextOptions {
  readonly colors: boolean;
  readonly includeTarget: boolean;
}

/** A writer of lines for people. Control characters are escaped, so that no value can forge a line. */
export function textWriter(
  destination: LogDestination,
  { colors, includeTarget }: TextOptions,
): (record: LogRecord) => void {
  const paint = (code: number, text: string): string => (colors ? `\u001b[${code}m${text}\u001b[0m` : text);
  return ({ level, target, span, fields: { message, ...rest }, location }) => {
    const parts = [
      paint(DIM, new Date().toISOString()),
      paint(COLOR[level], level.toUpperCase().padStart(5)),
      ...(span === undefined ? [] : [`${escape(span.name)}{trace_id=${shown(span.trace_id)}}`]),
      ...(includeTarget ? [paint(DIM, `${target}:`)] : []),
      ...(location === undefined ? [] : [paint(DIM, `${location}:`)]),
      escape(message),
      ...Object.entries(rest)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => `${paint(DIM, `${escape(name)}=`)}${shown(value)}`),
    ];
    destination.write(`${parts.join(' ')}\n`);
  };
}

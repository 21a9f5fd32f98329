import { usageError } from './errors.js';
import { unknownWord } from './nearest.js';

/** Arguments and flags of one call, as text. */
export class Values {
  constructor(
    readonly args: readonly string[],
    /** Every occurrence of each flag; a flag without value has the empty string. */
    private readonly flags: ReadonlyMap<string, readonly string[]>,
  ) {}

  has(flag: string): boolean {
    return this.flags.has(flag);
  }

  /** Undefined: not given. */
  text(flag: string): string | undefined {
    return this.flags.get(flag)?.at(-1);
  }

  texts(flag: string): readonly string[] {
    return this.flags.get(flag) ?? [];
  }

  required(flag: string): string {
    const value = this.text(flag);
    if (value === undefined || value === '') throw usageError(`--${flag} is missing`);
    return value;
  }

  argument(index: number): string {
    return this.args[index] ?? '';
  }

  integer(flag: string, { min = 0, max = Number.MAX_SAFE_INTEGER } = {}): number | undefined {
    const text = this.text(flag);
    if (text === undefined) return undefined;
    const value = Number(text);
    if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < min || value > max)
      throw usageError(`--${flag} "${text}" is not an integer from ${min} to ${max}`);
    return value;
  }

  durationMs(flag: string): number | undefined {
    const text = this.text(flag);
    return text === undefined ? undefined : durationMs(text, `--${flag}`);
  }

  /** `k=v` pairs of a flag that may be repeated. */
  pairs(flag: string): Record<string, string> {
    return Object.fromEntries(
      this.texts(flag).map((text) => {
        const at = text.indexOf('=');
        if (at < 1) throw usageError(`--${flag} "${text}" is malformed; expected NAME=VALUE`);
        return [text.slice(0, at), text.slice(at + 1)];
      }),
    );
  }

  json(flag: string): unknown {
    const text = this.text(flag);
    if (text === undefined) return undefined;
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw usageError(`--${flag} is not JSON`);
    }
  }
}

const UNITS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Reads `500ms`, `30s`, `15m`, `2h` or `7d`. */
export function durationMs(text: string, name: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text) ?? [];
  if (digits === '')
    throw usageError(`${name} "${text}" is not a duration such as 500ms, 30s, 15m, 2h or 7d`);
  return Number(digits) * (UNITS_MS[unit] ?? 1);
}

/** Reads a duration before now, Unix milliseconds or an RFC 3339 time. */
export function timeMs(text: string, name: string, nowMs: number): number {
  if (/^\d{1,9}(ms|s|m|h|d)$/.test(text)) return nowMs - durationMs(text, name);
  if (/^\d{10,16}$/.test(text)) return Number(text);
  const ms = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms))
    throw usageError(`${name} "${text}" is neither a duration, Unix milliseconds nor an RFC 3339 time`);
  return ms;
}

/** Returns the value if it is one of the known ones. */
export function oneOf<Value extends string>(text: string, kind: string, known: readonly Value[]): Value {
  const found = known.find((one) => one === text);
  if (found === undefined) throw usageError(unknownWord(kind, text, known));
  return found;
}

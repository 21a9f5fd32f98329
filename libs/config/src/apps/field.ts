import { type Report, typeName } from './report.js';

/** Reads one value of the record from JSON or TOML, and writes it back. */
export interface Field<T> {
  /**
   * Reads the value at `path`; an absent member is `undefined`. Returns `undefined` only after reporting why the
   * value is invalid.
   */
  read(raw: unknown, path: string, report: Report): T | undefined;
  /** The JSON form; `undefined` leaves the member out. */
  write(value: T): unknown;
}

const absent = (raw: unknown): boolean => raw === undefined || raw === null;

/** A member with a default, which applies if it is missing or null. */
export function withDefault<T>(field: Field<T>, value: T): Field<T> {
  return {
    read: (raw, path, report) => (absent(raw) ? value : field.read(raw, path, report)),
    write: (value) => field.write(value),
  };
}

/** An optional member: null in the record, omitted when written. */
export function optional<T>(field: Field<T>): Field<T | null> {
  return {
    read: (raw, path, report) => (absent(raw) ? null : field.read(raw, path, report)),
    write: (value) => (value === null ? undefined : field.write(value)),
  };
}

/** Adds a validation: `check` reports problems of a value that has the right type. */
export function checked<T>(
  field: Field<T>,
  check: (value: T, path: string, report: Report) => void,
): Field<T> {
  return {
    read(raw, path, report) {
      const value = field.read(raw, path, report);
      if (value === undefined) return undefined;
      const before = report.problems.length;
      check(value, path, report);
      return report.problems.length === before ? value : undefined;
    },
    write: (value) => field.write(value),
  };
}

export const boolean: Field<boolean> = {
  read: (raw, path, report) =>
    typeof raw === 'boolean' ? raw : report.problem(path, `expected boolean, got ${typeName(raw)}`),
  write: (value) => value,
};

export const text: Field<string> = {
  read: (raw, path, report) =>
    typeof raw === 'string' ? raw : report.problem(path, `expected string, got ${typeName(raw)}`),
  write: (value) => value,
};

/** Text of at least one character. */
export const filledText: Field<string> = checked(text, (value, path, report) => {
  if (value === '') report.problem(path, 'must not be empty');
});

/** A whole number from `min` to `max`; a string of decimal digits is accepted too. */
function integer(min: number, max: number): Field<number> {
  return {
    read(raw, path, report) {
      const value = typeof raw === 'string' && /^[+-]?\d{1,20}$/.test(raw.trim()) ? Number(raw) : raw;
      if (typeof value !== 'number' || !Number.isInteger(value)) {
        return report.problem(path, `expected integer, got ${typeName(raw)}`);
      }
      if (value < min)
        return report.problem(path, min === 1 ? 'must be greater than 0' : `must be at least ${min}`);
      if (value > max) return report.problem(path, `must be at most ${max}`);
      return Object.is(value, -0) ? 0 : value;
    },
    write: (value) => value,
  };
}

const U32_MAX = 4_294_967_295;

/** 0 to 2^32 − 1; where a limit, 0 means unlimited. */
export const u32 = integer(0, U32_MAX);

/** 1 to 2^32 − 1. */
export const positiveU32 = integer(1, U32_MAX);

/** From 1 to the largest number that JSON carries exactly. */
export const positive = integer(1, Number.MAX_SAFE_INTEGER);

/** One of a few words, in any case; the record holds it in lower case. */
export function word<T extends string>(words: readonly T[]): Field<T> {
  return {
    read(raw, path, report) {
      if (typeof raw !== 'string') return report.problem(path, `expected string, got ${typeName(raw)}`);
      const found = words.find((one) => one === raw.toLowerCase());
      return found ?? report.problem(path, `must be one of ${words.join(', ')} (got "${raw}")`);
    },
    write: (value) => value,
  };
}

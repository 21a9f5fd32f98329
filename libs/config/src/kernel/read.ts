import type { Decoded, Findings } from './node.js';

/** The name of a raw value's type, for messages: the value itself may be a secret. */
export function typeOf(raw: unknown): string {
  if (raw === null || raw === undefined) return 'null';
  if (Array.isArray(raw)) return 'list';
  if (raw instanceof Date) return 'datetime';
  if (typeof raw === 'number') return Number.isInteger(raw) ? 'integer' : 'float';
  if (typeof raw !== 'object') return typeof raw;
  const prototype: unknown = Object.getPrototypeOf(raw);
  return prototype === Object.prototype || prototype === null ? 'table' : 'object';
}

export const isTable = (raw: unknown): raw is Readonly<Record<string, unknown>> => typeOf(raw) === 'table';

/** Notes the wrong type and keeps the default. */
export function wrongType(raw: unknown, expected: string, path: string, findings: Findings): null {
  findings.problems.push({ path, message: `expected ${expected}, got ${typeOf(raw)}` });
  return null;
}

/** Notes why a value cannot be used and keeps the default. */
export function refused(message: string, path: string, findings: Findings): null {
  findings.problems.push({ path, message });
  return null;
}

export const given = <T>(value: T): Decoded<T> => ({ value });

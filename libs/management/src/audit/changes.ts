import { isDeepStrictEqual } from 'node:util';

type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the members in which two values differ; lists count as one member. */
export function changesOf(before: unknown, after: unknown): { before: unknown; after: unknown } {
  if (!isObject(before) || !isObject(after)) return { before: before ?? null, after: after ?? null };
  const changed: { before: Record<string, unknown>; after: Record<string, unknown> } = {
    before: {},
    after: {},
  };
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [one, other] = [before[name], after[name]];
    if (isDeepStrictEqual(one, other)) continue;
    const inner = isObject(one) && isObject(other) ? changesOf(one, other) : { before: one, after: other };
    if (Object.hasOwn(before, name)) changed.before[name] = inner.before;
    if (Object.hasOwn(after, name)) changed.after[name] = inner.after;
  }
  return changed;
}

const MAX_TEXT = 256;
const MAX_DEPTH = 16;
const MAX_MEMBERS = 200;

const CONTROLS = /[\p{Cc}\u2028\u2029]/gu;
const escaped = (one: string): string => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Cuts a text at 256 characters and escapes its control characters, so that log lines stay lines. */
export const auditText = (text: string): string =>
  text.slice(0, MAX_TEXT).toWellFormed().replaceAll(CONTROLS, escaped);

/** The value with every text cut and escaped, bounded in depth and members. */
export function auditValue(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return auditText(value);
  if (depth >= MAX_DEPTH) return '<nested>';
  if (Array.isArray(value)) return value.slice(0, MAX_MEMBERS).map((one) => auditValue(one, depth + 1));
  if (!isObject(value)) return value;
  const members = Object.entries(value).slice(0, MAX_MEMBERS);
  return Object.fromEntries(members.map(([name, one]) => [auditText(name), auditValue(one, depth + 1)]));
}

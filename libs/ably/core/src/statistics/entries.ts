import { isObject, type JsonObject } from '../json.js';

/** Numbers by their names, `messages.inbound.rest.messages.count`. */
export type Entries = Readonly<Record<string, number>>;

const PEAK = /\.peak$/;
/** The prefix that the nested form omits. */
const MESSAGES = /^messages\.(?=inbound\.|outbound\.)/;
const DIRECTIONS = ['inbound', 'outbound'] as const;
/** The entries that `all` of messages sums up. */
const PARTS = /^messages\.(inbound|outbound)\.(?:rest|realtime)\.(.+)$/;

export const peakOf = (kind: string): string => `${kind}.peak`;

export const isPeak = (name: string): boolean => PEAK.test(name);

/** Both together: peaks are the highest of all, everything else adds up. */
export function merged(one: Entries, other: Entries): Entries {
  const all: Record<string, number> = { ...one };
  for (const [name, value] of Object.entries(other)) {
    const before = all[name];
    all[name] = before === undefined ? value : isPeak(name) ? Math.max(before, value) : before + value;
  }
  return all;
}

/** Adds derived sums over all transports. */
export function withSums(entries: Entries): Entries {
  const sums: Record<string, number> = {};
  for (const [name, value] of Object.entries(entries)) {
    const [, direction, rest] = PARTS.exec(name) ?? [];
    if (direction === undefined) continue;
    const sum = `messages.${direction}.all.${rest}`;
    sums[sum] = (sums[sum] ?? 0) + value;
  }
  return { ...sums, ...entries };
}

/** The older form of the same: objects in objects. */
export function nested(entries: Entries): JsonObject {
  const root: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(entries)) {
    const path = name.replace(MESSAGES, '').split('.');
    let at = root;
    for (const part of path.slice(0, -1)) {
      const next = Object.hasOwn(at, part) ? at[part] : {};
      const inner: Record<string, unknown> = isObject(next) ? { ...next } : {};
      at[part] = inner;
      at = inner;
    }
    at[path.at(-1) ?? ''] = value;
  }
  return root;
}

/** The name in the flat form of a path in the nested one. */
export const flatName = (path: readonly string[]): string => {
  const [first, ...rest] = path;
  if (first === 'entries') return rest.join('.');
  return (DIRECTIONS as readonly string[]).includes(first ?? '')
    ? `messages.${path.join('.')}`
    : path.join('.');
};

import { isObject, parseJson } from '../json.js';
import { type Entries, isPeak, merged } from './entries.js';

/** The observations of one process for an app. */
export interface Seen {
  /** Sums and peaks. */
  readonly entries: Entries;
  /** Current gauge values by the names of their peaks; null if not reported. */
  readonly levels: Entries | null;
}

/** One minute of an app, of all processes. */
export interface Minute {
  readonly entries: Entries;
  /** The last reported values of each process. Minutes that begin after a process ended do not include it. */
  readonly levels: Readonly<Record<string, Entries>>;
}

const NOTHING: Minute = { entries: {}, levels: {} };

/** Merges two observations of one process; the later gauge values win. */
export const together = (before: Seen, after: Seen): Seen => ({
  entries: merged(before.entries, after.entries),
  levels: after.levels ?? before.levels,
});

/** Adds an observation of a process. Its peaks are increased by the last reported values of the other processes. */
export function withSeen({ entries, levels }: Minute, process: string, seen: Seen): Minute {
  const others = Object.entries(levels).filter(([name]) => name !== process);
  const raised = Object.entries(seen.entries).map(([name, value]): [string, number] => [
    name,
    isPeak(name) ? others.reduce((sum, [, level]) => sum + (level[name] ?? 0), value) : value,
  ]);
  return {
    entries: merged(entries, Object.fromEntries(raised)),
    levels: seen.levels === null ? levels : { ...levels, [process]: seen.levels },
  };
}

export const minuteText = (minute: Minute): string => JSON.stringify(minute);

/** Parses a stored minute; anything else is an empty one. */
export function readMinute(text: string | null): Minute {
  const kept = text === null ? null : parseJson(text);
  if (!isObject(kept) || !isObject(kept['entries']) || !isObject(kept['levels'])) return NOTHING;
  return kept as unknown as Minute;
}

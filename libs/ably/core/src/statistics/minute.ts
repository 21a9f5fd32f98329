import { isObject, parseJson } from '../json.js';
import { type Entries, isPeak, merged } from './entries.js';

/** What one process saw of an app. */
export interface Seen {
  /** What adds up, and the most that it had of anything. */
  readonly entries: Entries;
  /** How many it has at this moment, by the names of their peaks; null: it says nothing of that. */
  readonly levels: Entries | null;
}

/** One minute of an app, of all processes. */
export interface Minute {
  readonly entries: Entries;
  /** What each process had when it last told: who is gone is in no minute that begins afterwards. */
  readonly levels: Readonly<Record<string, Entries>>;
}

const NOTHING: Minute = { entries: {}, levels: {} };

/** Both together, of one process: what it saw later is how it is now. */
export const together = (before: Seen, after: Seen): Seen => ({
  entries: merged(before.entries, after.entries),
  levels: after.levels ?? before.levels,
});

/** With what a process saw. When it had the most of something, the others had what they last told. */
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

/** What is kept so; of anything else, nothing. */
export function readMinute(text: string | null): Minute {
  const kept = text === null ? null : parseJson(text);
  if (!isObject(kept) || !isObject(kept['entries']) || !isObject(kept['levels'])) return NOTHING;
  return kept as unknown as Minute;
}

import { CompatError } from '../compat-error.js';

/** Aggregation units of statistics, the finest first. */
export const UNITS = ['minute', 'hour', 'day', 'month'] as const;
export type Unit = (typeof UNITS)[number];

/** The number of characters of `2025-06-15:14:05` that identify an interval of the unit. */
const LENGTH: Readonly<Record<Unit, number>> = { minute: 16, hour: 13, day: 10, month: 7 };
const ID = /^(\d{4})-(\d{2})(?:-(\d{2})(?::(\d{2})(?::(\d{2}))?)?)?$/;
const TIME = /^\d{1,15}$/;
const MINUTE_MS = 60_000;
/** The last day that ids can represent; later times are clamped. */
const LATEST_MS = Date.UTC(9999, 11, 31);

/** The id of the interval that a moment is in, in UTC. */
export const intervalOf = (ms: number, unit: Unit): string =>
  new Date(ms).toISOString().slice(0, 16).replace('T', ':').slice(0, LENGTH[unit]);

/** When it begins; null: it is the id of nothing. */
export function startOf(id: string): number | null {
  const [, year, month, day = '01', hour = '00', minute = '00'] = ID.exec(id) ?? [];
  if (year === undefined || month === undefined) return null;
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:00Z`);
  // An out-of-range part either overflows into another month or makes the date invalid.
  return Number.isNaN(ms) || !intervalOf(ms, 'minute').startsWith(id) ? null : ms;
}

/** When the next one begins. */
export function endOf(startMs: number, unit: Unit): number {
  if (unit === 'month') {
    const date = new Date(startMs);
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
  }
  return startMs + { minute: 1, hour: 60, day: 1440 }[unit] * MINUTE_MS;
}

/** An interval by its id or a moment in it: when it begins, and when the next one does. */
export function boundsOf(text: string, unit: Unit): { readonly fromMs: number; readonly untilMs: number } {
  const ms = TIME.test(text) ? Math.min(Number(text), LATEST_MS) : startOf(text);
  if (ms === null) throw new CompatError(40_000, 'start and end must be times or interval ids');
  const own = TIME.test(text)
    ? unit
    : coarser(
        unit,
        UNITS.find((one) => LENGTH[one] === text.length),
      );
  const fromMs = startOf(intervalOf(ms, own)) ?? ms;
  return { fromMs, untilMs: endOf(fromMs, own) };
}

const coarser = (unit: Unit, other: Unit = unit): Unit =>
  UNITS.indexOf(other) > UNITS.indexOf(unit) ? other : unit;

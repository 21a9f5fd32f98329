/** Expiry that stands for "never". */
export const FOREVER_MS: number = Number.MAX_SAFE_INTEGER;

/** Day of rows that never expire. */
export const FOREVER_DAY = '9999-12-31';

/** When something of that moment is over that is kept for so long; null: never. */
export const expiry = (atMs: number, keepMs: number | null): number =>
  keepMs === null ? FOREVER_MS : Math.min(FOREVER_MS, atMs + keepMs);

const DAY_MS = 86_400_000;
const FOREVER_DAY_MS = Date.UTC(9999, 11, 31);

/** Last requested day: the rows of a batch mostly share it. */
let last = { day: 0, text: '1970-01-01' };

/** The day, in UTC, that a row must be kept to the end of. */
export function keepDay(keepUntilMs: number): string {
  if (keepUntilMs >= FOREVER_DAY_MS) return FOREVER_DAY;
  const day = Math.floor(keepUntilMs / DAY_MS);
  if (day !== last.day) last = { day, text: new Date(keepUntilMs).toISOString().slice(0, 10) };
  return last.text;
}

const SLOT_MS = 3_600_000;

/** The hour that the receipts of a moment are stored under. */
export const slotOf = (atMs: number): number => Math.floor(atMs / SLOT_MS);

/** Every slot from one moment to another, and the next one: the clock of another writer may be ahead. */
export function slotsBetween(fromMs: number, toMs: number): number[] {
  const first = slotOf(Math.max(0, fromMs));
  return Array.from({ length: slotOf(toMs) + 2 - first }, (_, index) => first + index);
}

import { CompatError } from '../compat-error.js';
import { isObject } from '../json.js';
import { type Entries, flatName, withSums } from './entries.js';
import { startOf } from './intervals.js';

/** The counters of one minute, as imported by a test. */
export interface Fixture {
  readonly startMs: number;
  readonly entries: Entries;
}

const MAX_ITEMS = 10_000;
const MAX_LEAVES = 2048;
const MAX_NAME_BYTES = 256;
const MAX_DEPTH = 16;
const MINUTE_ID_LENGTH = 16;
const ABOUT: ReadonlySet<string> = new Set(['intervalId', 'unit', 'schema', 'appId', 'inProgress']);

const malformed = (text: string): CompatError => new CompatError(40_000, text);

/** @throws CompatError 40009 for too many, 40000 for an invalid one. */
export function readFixtures(body: unknown): readonly Fixture[] {
  const items: readonly unknown[] = Array.isArray(body) ? body : [body];
  if (items.length > MAX_ITEMS) throw new CompatError(40_009, `at most ${MAX_ITEMS} are taken`, 413);
  return items.map(readFixture);
}

function readFixture(item: unknown): Fixture {
  if (!isObject(item)) throw malformed('an interval must be an object');
  const { intervalId } = item;
  const startMs =
    typeof intervalId === 'string' && intervalId.length === MINUTE_ID_LENGTH ? startOf(intervalId) : null;
  if (startMs === null) throw malformed('intervalId must be that of a minute');
  const leaves: [string, number][] = [];
  for (const [name, value] of Object.entries(item)) if (!ABOUT.has(name)) collect(value, [name], leaves);
  return { startMs, entries: withSums(Object.fromEntries(leaves)) };
}

function collect(value: unknown, path: readonly string[], into: [string, number][]): void {
  if (path.length > MAX_DEPTH) throw malformed('nested too deep');
  // Null members count as absent, as in all bodies.
  if (value === null) return;
  if (isObject(value)) {
    for (const [name, one] of Object.entries(value)) collect(one, [...path, name], into);
    return;
  }
  const name = flatName(path);
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0)
    throw malformed(`${name.slice(0, MAX_NAME_BYTES)} must be a number of at least 0`);
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) throw malformed('a name is too long');
  into.push([name, value]);
  if (into.length > MAX_LEAVES) throw malformed(`at most ${MAX_LEAVES} numbers are taken`);
}

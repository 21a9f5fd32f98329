import { type AppRecord, parseAppRecord, type Problem } from '@carillon/config';
import type { SqlRow } from '@carillon/database';
import { AppNotStorable } from '../../failures.js';
import { BrokenApp, type StoredApp } from '../../port.js';
import { isTable, type Json, recordOf, storedForm } from '../stored-form.js';
import { CHANNEL_RULES, OPTIONAL_FEATURES, OPTIONAL_LIMITS, OVERRIDES, REQUIRED_LIMITS } from './columns.js';

/** Longest JSON of one column; a longer one is neither written nor read. */
export const MAX_JSON_BYTES = 1_048_576;

/** Columns of limits are signed; the policy has the whole number. */
const MAX_INTEGER = 2_147_483_647;

/** A row by column. */
export type AppRow = Readonly<Record<string, unknown>>;

/** Null stays null. */
const integer = (value: number | null): number | null => value && Math.min(value, MAX_INTEGER);

/** The values of every column that is written. */
export function rowOf(record: AppRecord): AppRow {
  const { previous_secret: previous, previous_secret_expires_at_ms: previousExpiry } = record;
  // These have columns of their own; the policy must not repeat a secret.
  const plain = { ...record, previous_secret: null, previous_secret_expires_at_ms: null };
  const { id, key, secret, enabled, policy } = storedForm(plain);
  const channels = isTable(policy['channels']) ? policy['channels'] : {};
  const { limits, features } = record.policy;
  const json = (name: string, value: unknown): [string, unknown] => [name, storable(record, name, value)];
  return Object.fromEntries<unknown>([
    ['id', id],
    ['key', key],
    ['secret', secret],
    ['enabled', enabled],
    ...[...REQUIRED_LIMITS, ...OPTIONAL_LIMITS].map((name): [string, unknown] => [
      name,
      integer(limits[name]),
    ]),
    ['enable_client_messages', features.enable_client_messages],
    ...OPTIONAL_FEATURES.map((name): [string, unknown] => [name, features[name]]),
    ['previous_secret', previous?.reveal() ?? null],
    ['previous_secret_expires_at', previousExpiry],
    json('policy', policy),
    ...OVERRIDES.map((name) => json(name, policy[name])),
    ...CHANNEL_RULES.map((name) => json(name, channels[name])),
  ]);
}

function storable({ id }: AppRecord, name: string, value: unknown): unknown {
  if (value === undefined || value === null) return null;
  // The database may write it with more spaces than this.
  if (Buffer.byteLength(JSON.stringify(value)) > MAX_JSON_BYTES / 2) {
    throw new AppNotStorable(id, `${name} must be at most ${MAX_JSON_BYTES / 2} bytes of JSON`);
  }
  return value;
}

/** Returns the app of a row: its policy, or the legacy columns if it has none. */
export function appOf(row: SqlRow): StoredApp {
  const id = String(row['id']);
  const problems: Problem[] = [];
  const json = (name: string): unknown => readJson(row, name, problems);
  const policy = json('policy');
  const expiry = row['previous_secret_expires_at'] ?? null;
  const head = {
    id: row['id'],
    key: row['key'],
    secret: row['secret'],
    enabled: readFlag(row['enabled']),
    previous_secret: row['previous_secret'] ?? null,
    // Databases return 64-bit integers as text.
    previous_secret_expires_at_ms: expiry === null ? null : Number(expiry),
  };
  const raw = isTable(policy) ? recordOf(head, policy) : { ...head, ...legacy(row, json), ...unfit(policy) };
  if (problems.length > 0) return new BrokenApp(id, problems);
  const parsed = parseAppRecord(raw, '');
  return parsed.record ?? new BrokenApp(id, parsed.problems);
}

/** Passes on a policy that is not a table, so that validation reports it. */
const unfit = (policy: unknown): Json => (policy === null ? {} : { policy });

function legacy(row: SqlRow, json: (name: string) => unknown): Json {
  const members: [string, unknown][] = [
    ...[...REQUIRED_LIMITS, ...OPTIONAL_LIMITS].map((name): [string, unknown] => [name, row[name]]),
    ...['enable_client_messages', ...OPTIONAL_FEATURES].map((name): [string, unknown] => [
      name,
      readFlag(row[name]),
    ]),
    ...[...OVERRIDES, ...CHANNEL_RULES].map((name): [string, unknown] => [name, json(name)]),
  ];
  return Object.fromEntries(members.filter(([, value]) => value !== null));
}

/** Null: the column is, or holds JSON's null. */
function readJson(row: SqlRow, name: string, problems: Problem[]): unknown {
  const text = row[name];
  if (text === null || text === undefined) return null;
  if (text === '') {
    problems.push({ path: name, message: `must be at most ${MAX_JSON_BYTES} bytes` });
    return null;
  }
  try {
    return JSON.parse(text as string) as unknown;
  } catch {
    problems.push({ path: name, message: 'is not JSON' });
    return null;
  }
}

/** MySQL has numbers for truth. */
function readFlag(value: unknown): unknown {
  if (value === 0 || value === 1) return value === 1;
  return value;
}

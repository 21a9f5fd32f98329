import type { Problem } from '../problem.js';
import { appRecord } from './record-fields.js';
import type { AppRecord } from './record.js';
import { Report, type UnknownKey } from './report.js';

/** One record as read, with all that was found on the way. Only problems make it unusable. */
export type ParsedAppRecord = Findings &
  (
    | { readonly record: AppRecord; readonly problems: readonly [] }
    | { readonly record: null; readonly problems: readonly Problem[] }
  );

interface Findings {
  /** Worth telling the operator; the record is usable. */
  readonly warnings: readonly Problem[];
  /** Kept in the record and never used; the configuration reports them like any unknown key. */
  readonly unknownKeys: readonly UnknownKey[];
}

/**
 * Reads one app record, in the form with a `policy` or in the legacy flat form, from JSON or TOML. Never throws,
 * reports every problem at once and never prints a credential. `path` is put in front of every path; it may be empty.
 */
export function parseAppRecord(raw: unknown, path: string): ParsedAppRecord {
  const report = new Report();
  const record = appRecord.read(raw, path, report);
  const { problems, warnings, unknownKeys } = report;
  return record === undefined
    ? { record: null, problems, warnings, unknownKeys }
    : { record, problems: [], warnings, unknownKeys };
}

/**
 * The stored JSON form, with a `policy` and with the secret in clear: for stores and the shared cache only. Members
 * that are not set are left out; reading it back gives an equal record.
 */
export function serializeAppRecord(record: AppRecord): Record<string, unknown> {
  return appRecord.write(record) as Record<string, unknown>;
}

import type { Problem } from '../problem.js';
import { Secret } from '../secret.js';

/** An app as stored and as configured, with every default filled in. */
export interface AppRecord {
  readonly id: string;
  readonly key: string;
  readonly secret: Secret;
  readonly enabled: boolean;
}

export type ParsedAppRecord =
  | { readonly record: AppRecord; readonly problems: readonly [] }
  | { readonly record: null; readonly problems: readonly Problem[] };

/** Reads one app record; `path` is put in front of every problem's path. */
export function parseAppRecord(raw: unknown, path: string): ParsedAppRecord {
  if (typeof raw !== 'object' || raw === null) {
    return { record: null, problems: [{ path, message: 'expected table' }] };
  }
  const { id, key, secret, enabled } = raw as Record<string, unknown>;
  return {
    record: { id: String(id), key: String(key), secret: new Secret(String(secret)), enabled: enabled !== false },
    problems: [],
  };
}

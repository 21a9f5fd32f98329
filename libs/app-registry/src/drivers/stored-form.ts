import { createHash } from 'node:crypto';
import { type AppRecord, parseAppRecord, serializeAppRecord } from '@carillon/config';
import { AppNotStorable } from '../failures.js';
import { BrokenApp, type StoredApp } from '../port.js';

export type Json = Record<string, unknown>;

/** The policy member that holds record members for which stores have no column. */
const RECORD_MEMBERS = 'record_members';

/** A record as stores keep it: four plain values, and everything else in the policy. */
export interface StoredForm {
  readonly id: string;
  readonly key: string;
  readonly secret: string;
  readonly enabled: boolean;
  readonly policy: Json;
}

export const isTable = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** False for half of a surrogate pair, which no encoding can carry. */
export const isWellFormed = (text: string): boolean => !/\p{Cs}/u.test(text);

/**
 * A revision for stores without one of their own. The policy text may hold the previous secret and is redacted
 * before it is hashed; the random `revision` of the record in it changes with every write of the management API.
 */
export function contentRevision([key, enabled, updatedAt, policy]: readonly unknown[]): string {
  const text = typeof policy === 'string' ? policy : JSON.stringify(policy);
  const safe = (text ?? '').replaceAll(/("previous_secret":)"(?:[^"\\]|\\.)*"/g, '$1null');
  return createHash('sha256')
    .update(JSON.stringify([key, enabled, updatedAt, safe]))
    .digest('base64url')
    .slice(0, 22);
}

/** @throws AppNotStorable */
export function storedForm(record: AppRecord): StoredForm {
  const { id, key, secret, enabled, policy, ...members } = serializeAppRecord(record);
  const text = (name: string, value: unknown): string => {
    const written = String(value);
    if (!isWellFormed(written)) throw new AppNotStorable(record.id, `${name} must be well-formed text`);
    return written;
  };
  const whole = isTable(policy) ? policy : {};
  return {
    id: text('id', id),
    key: text('key', key),
    secret: text('secret', secret),
    enabled: enabled !== false,
    policy: Object.keys(members).length > 0 ? { ...whole, [RECORD_MEMBERS]: members } : whole,
  };
}

/** Rebuilds the record that `storedForm` split. */
export function recordOf(head: Json, policy: Json): Json {
  const { [RECORD_MEMBERS]: members, ...rest } = policy;
  return isTable(members) ? { ...members, ...head, policy: rest } : { ...head, policy };
}

/** Reads an app of a store that keeps the policy as JSON text. An app without a policy has an empty one. */
export const parseStoredApp = (id: string, head: Json, policyText: string | null): StoredApp =>
  storedApp(id, head, policyText === null ? {} : parsePolicy(policyText));

/** Reads an app from its plain values other than the id, and its policy. */
export function storedApp(id: string, head: Json, policy: unknown): StoredApp {
  if (!isTable(policy)) return new BrokenApp(id, [{ path: 'policy', message: 'is not a table in JSON' }]);
  const parsed = parseAppRecord(recordOf({ id, ...head }, policy), '');
  return parsed.record ?? new BrokenApp(id, parsed.problems);
}

/** Returns null if the text is not JSON. */
function parsePolicy(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

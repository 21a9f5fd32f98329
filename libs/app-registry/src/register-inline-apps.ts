import { isDeepStrictEqual } from 'node:util';
import { keepUnknownMembers, serializeAppRecord, type AppRecord } from '@carillon/config';
import { AppConflict } from './failures.js';
import { BrokenApp, type AppStore } from './port.js';

/** A record that registration wrote, and the one that stood there before. */
export interface RegisteredApp {
  readonly before: AppRecord | null;
  readonly after: AppRecord;
}

/**
 * Writes the inline apps to the store: updates by id, else creates; an unchanged app is not written. Rejects with
 * `AppConflict` if a key belongs to another id. Safe to run on several nodes concurrently.
 */
export async function registerInlineApps(
  store: AppStore,
  records: readonly AppRecord[],
): Promise<RegisteredApp[]> {
  const written: RegisteredApp[] = [];
  for (const record of records) {
    const one = (await create(store, record)) ?? (await update(store, record));
    if (one !== null) written.push(one);
  }
  return written;
}

/** Returns null if the app exists, including when another node created it first. */
async function create(store: AppStore, record: AppRecord): Promise<RegisteredApp | null> {
  if ((await store.findById(record.id)) !== null) return null;
  try {
    await store.create(record);
    return { before: null, after: record };
  } catch (thrown) {
    if (thrown instanceof AppConflict && thrown.field === 'id') return null;
    throw thrown;
  }
}

async function update(store: AppStore, record: AppRecord): Promise<RegisteredApp | null> {
  const stored = await store.findById(record.id);
  const before = stored instanceof BrokenApp ? null : stored;
  const after = before === null ? record : keepUnknownMembers(record, before);
  if (before !== null && sameRecord(before, after)) return null;
  await store.update(after);
  return { before, after };
}

/** Whether two records are equal, including the secret. */
export function sameRecord(one: AppRecord, other: AppRecord): boolean {
  return one === other || isDeepStrictEqual(serializeAppRecord(one), serializeAppRecord(other));
}

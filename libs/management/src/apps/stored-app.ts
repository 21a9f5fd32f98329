import { randomBytes } from 'node:crypto';
import {
  AppChanged,
  AppConflict,
  AppNotFound,
  AppNotStorable,
  type AppRegistry,
  AppStoreUnavailable,
  BrokenApp,
} from '@carillon/app-registry';
import type { AppRecord, Config } from '@carillon/config';
import { ServiceError } from '@carillon/errors';
import { appNotFound } from '../http/authorize.js';
import { invalidField } from '../http/fields.js';
import { appItem, type AppItem, type AppOrigin, etagOf } from './view.js';

/** The stored record of an app, as writes start from it. */
export interface StoredApp {
  readonly record: AppRecord;
  readonly revision: string;
  readonly etag: string;
}

export interface AppParts {
  readonly apps: AppRegistry;
  readonly config: Config;
}

/** Attempts of a write that meets others. */
const MAX_ATTEMPTS = 5;

/** Where the record of an app comes from: the next start would restore a configured one. */
const originOf = (appId: string, { config }: Pick<AppParts, 'config'>): AppOrigin =>
  config.app_manager.register_inline_apps && config.app_manager.array.apps.some(({ id }) => id === appId)
    ? 'config'
    : 'store';

export const itemOf = (record: AppRecord, parts: AppParts): AppItem =>
  appItem(record, originOf(record.id, parts), Date.now());

/** @throws ServiceError `read_only_store` */
export function checkWritable(appId: string | null, parts: AppParts): void {
  if (parts.apps.isLocal)
    throw new ServiceError('read_only_store', { text: 'the app store of driver memory cannot be written' });
  if (appId !== null && originOf(appId, parts) === 'config')
    throw new ServiceError('read_only_store', { text: 'the app is defined by the configuration' });
}

/** @throws ServiceError `app_not_found`, `service_unavailable` */
export async function readApp(appId: string, { apps }: Pick<AppParts, 'apps'>): Promise<StoredApp> {
  const found = await storeErrors(apps.read(appId));
  if (found === null || found.stored instanceof BrokenApp) throw appNotFound();
  return { record: found.stored, revision: found.revision, etag: etagOf(found.revision) };
}

/**
 * Reads, changes and writes an app; repeated when another writer was faster. `change` throws to refuse.
 *
 * @throws ServiceError of the table
 */
export async function changeApp(
  appId: string,
  parts: AppParts,
  change: (stored: StoredApp) => AppRecord,
): Promise<{ readonly before: AppRecord; readonly after: StoredApp }> {
  checkWritable(appId, parts);
  for (let attempt = 1; ; attempt++) {
    const stored = await readApp(appId, parts);
    const next = change(stored);
    if (next === stored.record) return { before: stored.record, after: stored };
    try {
      await parts.apps.update(next, stored.revision);
    } catch (error) {
      if (error instanceof AppChanged && attempt < MAX_ATTEMPTS) continue;
      throw storeError(error);
    }
    return { before: stored.record, after: await readApp(appId, parts) };
  }
}

/** The record with the marks of a write: its time and a new revision. */
export const written = (record: AppRecord, nowMs = Date.now()): AppRecord => ({
  ...record,
  created_at_ms: record.created_at_ms ?? nowMs,
  updated_at_ms: nowMs,
  revision: randomBytes(12).toString('base64url'),
});

export async function storeErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw storeError(error);
  }
}

/** A failure of the app store as the API answers it; anything else as it is. */
function storeError(error: unknown): unknown {
  if (error instanceof AppChanged) return new ServiceError('precondition_failed');
  if (error instanceof AppNotFound) return appNotFound();
  if (error instanceof AppNotStorable) return invalidField('policy', error.message);
  if (error instanceof AppStoreUnavailable)
    return new ServiceError('service_unavailable', { text: 'the app store is unavailable', cause: error });
  if (error instanceof AppConflict)
    return new ServiceError('conflict', {
      text: `the ${error.field} is in use`,
      fields: [{ path: error.field, message: 'is in use by another app' }],
    });
  return error;
}

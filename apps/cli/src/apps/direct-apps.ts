import { randomBytes } from 'node:crypto';
import { type AppStore, BrokenApp } from '@carillon/app-registry';
import {
  type AppRecord,
  parseAppRecord,
  redactedAppRecord,
  Secret,
  serializeAppRecord,
} from '@carillon/config';
import { CommandError, failure, usageError } from '../program/errors.js';
import { EXIT } from '../program/exit-codes.js';
import type { AppChanges, AppItem, AppList, AppPort } from './app-port.js';
import { merged } from './members.js';

const PAGE = 500;
const ID = /^[A-Za-z0-9_-]{1,64}$/;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz234567';

/** Apps on the store of the configuration. */
export class DirectApps implements AppPort {
  constructor(
    private readonly store: AppStore,
    private readonly parts: {
      readonly isReadOnly: boolean;
      /** How long a previous secret stays valid unless a command says so. */
      readonly graceMs: number;
      readonly release: () => Promise<void>;
    },
  ) {}

  async list(cursor: string | null): Promise<AppList> {
    const { apps, next } = await this.store.list({ limit: PAGE, cursor });
    return { items: apps.map(itemOf), next_cursor: next, has_more: next !== null };
  }

  async show(id: string): Promise<AppItem> {
    const found = await this.store.findById(id);
    if (found === null) throw notFound(id);
    return itemOf(found);
  }

  async create(members: AppChanges): Promise<AppItem> {
    this.#requireWritable();
    const { id = randomId(), key = `k_${hex(12)}`, secret, ...more } = members;
    const generated = secret === undefined ? `s_${hex(24)}` : null;
    const record = written(recordOf({ enabled: true, ...more, id, key, secret: generated ?? secret }));
    await this.store.create(record).catch(translate);
    return { ...itemOf(record), secret: generated };
  }

  async update(id: string, changes: AppChanges): Promise<AppItem> {
    for (const name of ['id', 'secret'])
      if (name in changes) throw usageError(`"${name}" of an app cannot be changed; see apps rotate-secret`);
    return itemOf(await this.#change(id, (record) => recordOf(merged(serializeAppRecord(record), changes))));
  }

  async setEnabled(id: string, enabled: boolean): Promise<AppItem> {
    return this.update(id, { enabled });
  }

  async delete(id: string): Promise<void> {
    this.#requireWritable();
    const found = await this.store.findById(id);
    if (found === null) throw notFound(id);
    if (!(found instanceof BrokenApp) && found.enabled)
      throw failure(`app "${id}" is enabled`, 'conflict', `carillon apps disable ${id}`);
    if (!(await this.store.delete(id))) throw notFound(id);
  }

  async rotateSecret(id: string, graceMs = this.parts.graceMs): Promise<object> {
    const secret = `s_${hex(24)}`;
    const expiresAtMs = graceMs > 0 ? Date.now() + graceMs : null;
    await this.#change(id, (record) => {
      if (validPreviousUntil(record) !== null)
        throw failure(`the previous secret of app "${id}" is still valid`, 'conflict');
      return {
        ...record,
        secret: new Secret(secret),
        previous_secret: expiresAtMs === null ? null : record.secret,
        previous_secret_expires_at_ms: expiresAtMs,
      };
    });
    return { secret, previous_secret_expires_at_ms: expiresAtMs };
  }

  async close(): Promise<void> {
    await this.store.close();
    await this.parts.release();
  }

  /** Writes a changed record. Another writer between read and write is a conflict. */
  async #change(id: string, change: (record: AppRecord) => AppRecord): Promise<AppRecord> {
    this.#requireWritable();
    const found = await this.store.read(id);
    if (found === null) throw notFound(id);
    const { stored, revision } = found;
    if (stored instanceof BrokenApp)
      throw failure(`the record of app "${id}" is invalid: ${stored.problems[0]?.message ?? ''}`, 'conflict');
    const record = written(change(stored));
    await this.store.update(record, revision).catch(translate);
    return record;
  }

  #requireWritable(): void {
    if (!this.parts.isReadOnly) return;
    const cure = 'edit [[app_manager.array.apps]], or choose another app_manager.driver';
    throw new CommandError('app_manager.driver memory is read only', {
      code: 'read_only_store',
      exitCode: EXIT.failed,
      cure,
    });
  }
}

const hex = (bytes: number): string => randomBytes(bytes).toString('hex');
const randomId = (): string =>
  `app-${[...randomBytes(12)].map((byte) => LETTERS[byte % LETTERS.length]).join('')}`;

function recordOf(raw: unknown): AppRecord {
  const { id } = raw as { readonly id: unknown };
  if (typeof id !== 'string' || !ID.test(id))
    throw usageError(`app id ${JSON.stringify(id)} must have 1 to 64 characters of A-Z a-z 0-9 _ -`);
  const { record, problems, unknownKeys } = parseAppRecord(raw, '');
  if (record === null)
    throw usageError(problems.map(({ path, message }) => `${path}: ${message}`).join('; '));
  const [unknown] = unknownKeys;
  if (unknown !== undefined) throw usageError(`unknown path "${unknown.path}"`);
  return record;
}

function itemOf(app: AppRecord | BrokenApp): AppItem {
  if (app instanceof BrokenApp)
    return { id: app.id, key: '', enabled: false, policy: {}, problems: app.problems };
  const { policy } = redactedAppRecord(app) as { readonly policy: Readonly<Record<string, unknown>> };
  const { id, key, enabled, created_at_ms, updated_at_ms } = app;
  const previous_secret_expires_at_ms = validPreviousUntil(app);
  return {
    id,
    key,
    enabled,
    policy,
    origin: 'store',
    previous_secret_expires_at_ms,
    created_at_ms,
    updated_at_ms,
  };
}

/** End of the validity of the previous secret; null: none is valid. */
function validPreviousUntil({
  previous_secret: previous,
  previous_secret_expires_at_ms: untilMs,
}: AppRecord): number | null {
  return previous !== null && untilMs !== null && untilMs > Date.now() ? untilMs : null;
}

/** The record with the marks of a write: its time and a new revision. */
const written = (record: AppRecord, nowMs = Date.now()): AppRecord => ({
  ...record,
  created_at_ms: record.created_at_ms ?? nowMs,
  updated_at_ms: nowMs,
  revision: randomBytes(12).toString('base64url'),
});

const notFound = (id: string): CommandError =>
  failure(`app "${id}" does not exist`, 'not_found', 'carillon apps list');

function translate(error: unknown): never {
  const { name = '', message = '' } = error instanceof Error ? error : {};
  if (name === 'AppConflict' || name === 'AppChanged') throw failure(message, 'conflict');
  if (name === 'AppNotFound') throw failure(message, 'not_found');
  if (name === 'AppNotStorable') throw usageError(message);
  throw error;
}

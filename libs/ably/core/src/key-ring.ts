import { createHash, timingSafeEqual } from 'node:crypto';
import { AppLookupUnavailable, type App } from '@carillon/app-registry';
import type { Config } from '@carillon/config';
import { Capability } from './capability.js';
import { CompatError, unavailable } from './compat-error.js';

/** A key that clients or their servers authenticate with. */
export interface Key {
  readonly name: string;
  readonly secret: string;
  /** Null if the app does not exist. A caller with a verified key is admitted by `appOf`. */
  readonly app: App | null;
  readonly capability: Capability;
  readonly isRevocable: boolean;
  readonly rotationId: string;
  /** Why it is not accepted now; null: it is. */
  readonly problem: CompatError | null;
}

/** Finds apps. */
export interface Apps {
  findByKey(key: string): Promise<App | null>;
  findById(id: string): Promise<App | null>;
}

type Row = Config['compat']['keys'][number];

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** A key row with the data that every request with it needs. */
interface Entry {
  readonly row: Row;
  readonly capability: Capability;
}

const byName = (rows: readonly Row[]): ReadonlyMap<string, Entry> =>
  new Map(rows.map((row) => [row.key_name, { row, capability: Capability.parse(row.capability) }]));

/** Compares in constant time. */
export const isSameSecret = (one: string, other: string): boolean =>
  timingSafeEqual(sha256(one), sha256(other));

/** @throws CompatError when the app of the key is missing or disabled. */
export const appOf = ({ app }: Pick<Key, 'app'>): App => usable(app);

/** The primary keys of apps and those of the registry. */
export class KeyRing {
  #entries: ReadonlyMap<string, Entry>;

  constructor(
    rows: readonly Row[],
    private readonly apps: Apps,
  ) {
    this.#entries = byName(rows);
  }

  /** The registry is another from now on. */
  replace(rows: readonly Row[]): void {
    this.#entries = byName(rows);
  }

  /**
   * Returns the key of this name, active or not, whether or not its app exists; null if there is none.
   *
   * @throws CompatError, in a promise, if apps cannot be looked up.
   */
  async find(name: string, nowMs: number): Promise<Key | null> {
    const entry = this.#entries.get(name);
    if (entry === undefined) {
      const app = await orUnavailable(this.apps.findByKey(name));
      return app === null ? null : primary(app);
    }
    const { row, capability } = entry;
    return {
      name,
      secret: row.secret.reveal(),
      app: await orUnavailable(this.apps.findById(row.app_id)),
      capability,
      isRevocable: row.revocable_tokens,
      rotationId: row.rotation_id,
      problem: problemOf(row, nowMs),
    };
  }

  /** @throws CompatError, in a promise, when the app is missing, disabled or cannot be looked up. */
  async app(id: string): Promise<App> {
    return usable(await orUnavailable(this.apps.findById(id)));
  }
}

async function orUnavailable<Value>(asked: Promise<Value>): Promise<Value> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof AppLookupUnavailable) throw unavailable();
    throw error;
  }
}

function usable(app: App | null): App {
  if (app === null) throw new CompatError(40_400, 'the app of the key does not exist');
  if (!app.enabled) throw new CompatError(40_300, 'the app is disabled');
  return app;
}

const primary = (app: App): Key => ({
  name: app.key,
  secret: app.record.secret.reveal(),
  app,
  capability: Capability.everything,
  isRevocable: false,
  rotationId: '',
  problem: null,
});

function problemOf(row: Row, nowMs: number): CompatError | null {
  if (!row.enabled) return new CompatError(40_133, 'the key is disabled');
  if (nowMs < (row.created_at_ms ?? 0) || nowMs >= (row.expires_at_ms ?? Infinity))
    return new CompatError(40_132, 'the key has expired or is not valid yet');
  return nowMs >= (row.revoked_at_ms ?? Infinity) ? new CompatError(40_131, 'the key is revoked') : null;
}

import { createHash, timingSafeEqual } from 'node:crypto';
import { AppLookupUnavailable, type App } from '@carillon/app-registry';
import type { Config } from '@carillon/config';
import { Capability } from './capability.js';
import { CompatError, unavailable } from './compat-error.js';

/** A key that clients or their servers authenticate with. */
export interface Key {
  readonly name: string;
  readonly secret: string;
  readonly app: App;
  readonly capability: Capability;
  readonly isRevocable: boolean;
  readonly rotationId: string;
  /** Why it is not accepted now; null: it is. */
  readonly problem: CompatError | null;
}

/** Where apps are found. */
export interface Apps {
  findByKey(key: string): Promise<App | null>;
  findById(id: string): Promise<App | null>;
}

type Row = Config['compat']['keys'][number];

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

const byName = (rows: readonly Row[]): ReadonlyMap<string, Row> =>
  new Map(rows.map((row) => [row.key_name, row]));

/** Compares in the same time, whatever differs. */
export const isSameSecret = (one: string, other: string): boolean =>
  timingSafeEqual(sha256(one), sha256(other));

/** The primary keys of apps and those of the registry. */
export class KeyRing {
  #rows: ReadonlyMap<string, Row>;

  constructor(
    rows: readonly Row[],
    private readonly apps: Apps,
  ) {
    this.#rows = byName(rows);
  }

  /** The registry is another from now on. */
  replace(rows: readonly Row[]): void {
    this.#rows = byName(rows);
  }

  /**
   * The key of this name, active or not; null: there is none.
   *
   * @throws CompatError when its app is missing, disabled or cannot be looked up.
   */
  async find(name: string, nowMs: number): Promise<Key | null> {
    const row = this.#rows.get(name);
    const app = await this.#app(row, name);
    if (row === undefined) return app === null ? null : primary(usable(app));
    return {
      name,
      secret: row.secret.reveal(),
      app: usable(app),
      capability: Capability.parse(row.capability),
      isRevocable: row.revocable_tokens,
      rotationId: row.rotation_id,
      problem: problemOf(row, nowMs),
    };
  }

  /** @throws CompatError when the app is missing, disabled or cannot be looked up. */
  async app(id: string): Promise<App> {
    try {
      return usable(await this.apps.findById(id));
    } catch (error) {
      if (error instanceof AppLookupUnavailable) throw unavailable();
      throw error;
    }
  }

  async #app(row: Row | undefined, name: string): Promise<App | null> {
    try {
      return await (row === undefined ? this.apps.findByKey(name) : this.apps.findById(row.app_id));
    } catch (error) {
      if (error instanceof AppLookupUnavailable) throw unavailable();
      throw error;
    }
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

import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import type { Config } from '@carillon/config';
import type { Logger } from '@carillon/runtime';
import type { Cache } from './port.js';

/** Names of the marks of processes: `installation:<installation>:<node id>`. */
export const INSTALLATION_PREFIX = 'installation:';

const TTL_MS = 30_000;
const INTERVAL_MS = 10_000;
/** A scan reads every name of the cache. */
const SEARCH_INTERVAL_MS = 3_600_000;
const PAGE = 1000;
const MAX_PAGES = 10_000;
const ID_LENGTH = 32;

/**
 * Identifies the processes that belong together: those with the same SQL database, or without one those with the same
 * configured apps.
 */
export function installationId(config: Pick<Config, 'app_manager' | 'database' | 'history'>): string {
  const { app_manager: apps, history, database } = config;
  const dialect = [apps.driver, history.enabled ? history.backend : 'memory'].find(
    (driver): driver is 'mysql' | 'postgres' => driver === 'postgres' || driver === 'mysql',
  );
  const sql = dialect === undefined ? null : database[dialect];
  const identity =
    sql === null || (dialect === 'postgres' && database.postgres.embedded)
      ? apps.array.apps.map(({ id, key }) => `${id} ${key}`).sort()
      : [dialect, sql.host ?? 'localhost', sql.port, sql.database];
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, ID_LENGTH);
}

export interface MarkParts {
  readonly config: Pick<Config, 'app_manager' | 'database' | 'history' | 'instance'>;
  readonly process: string;
  readonly version: string;
  readonly log: Logger;
}

/** Keeps the mark of this process in a shared cache, and warns about another installation on the same prefix. */
export class InstallationMark {
  readonly #installation: string;
  readonly #nodeId: string;
  readonly #startedAtMs = Date.now();
  #timer: NodeJS.Timeout | null = null;
  #searchedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly cache: Cache,
    private readonly parts: MarkParts,
  ) {
    this.#installation = installationId(parts.config);
    this.#nodeId = parts.config.instance.process_id;
  }

  start(): void {
    if (this.#timer !== null) return;
    this.#timer = setInterval(() => void this.#renew(), INTERVAL_MS);
    this.#timer.unref();
    void this.#renew();
  }

  /** Ends the renewal and removes the mark; a lost connection leaves it to its ttl. */
  async stop(): Promise<void> {
    if (this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
    await this.cache.remove(this.#name).catch(() => false);
  }

  get #name(): string {
    return `${INSTALLATION_PREFIX}${this.#installation}:${this.#nodeId}`;
  }

  /** A cache that is unavailable is reported by its health check. */
  async #renew(): Promise<void> {
    const { process: kind, version } = this.parts;
    const value = {
      node_id: this.#nodeId,
      process: kind,
      host: hostname(),
      version,
      started_at_ms: this.#startedAtMs,
    };
    try {
      await this.cache.set(this.#name, JSON.stringify(value), TTL_MS);
      if (this.#timer !== null && Date.now() - this.#searchedAtMs >= SEARCH_INTERVAL_MS) await this.#search();
    } catch {
      // The next renewal tries again.
    }
  }

  async #search(): Promise<void> {
    this.#searchedAtMs = Date.now();
    let cursor: string | null = null;
    for (let pages = 0; pages < MAX_PAGES; pages += 1) {
      const page: { readonly names: readonly string[]; readonly cursor: string | null } =
        await this.cache.scanPrefix(INSTALLATION_PREFIX, cursor, PAGE);
      const other = page.names
        .map((name) => name.slice(INSTALLATION_PREFIX.length).split(':'))
        .find(([installation]) => installation !== this.#installation);
      if (other !== undefined) {
        const [installation, ...node] = other;
        const fields = { own: this.#installation, other: installation, other_node: node.join(':') };
        this.parts.log.warn('another installation uses the same database.redis.key_prefix', fields);
        return;
      }
      cursor = page.cursor;
      if (cursor === null) return;
    }
  }
}

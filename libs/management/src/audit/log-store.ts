import type {
  AuditCompletion,
  AuditEntry,
  AuditFilter,
  AuditPage,
  AuditPosition,
  AuditStore,
} from './entry.js';

const MAX_ENTRIES = 1000;

/** The newest 1,000 entries of this process in memory, beside the log lines that every store has. */
export class LogAuditStore implements AuditStore {
  /** Oldest first. */
  readonly #entries = new Map<string, AuditEntry>();

  async add(entry: AuditEntry): Promise<void> {
    this.#entries.set(entry.id, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > MAX_ENTRIES && oldest !== undefined) this.#entries.delete(oldest);
  }

  async complete(id: string, completion: AuditCompletion): Promise<void> {
    const entry = this.#entries.get(id);
    if (entry !== undefined) this.#entries.set(id, { ...entry, ...completion });
  }

  async list(
    filter: AuditFilter,
    apps: ReadonlySet<string> | null,
    after: AuditPosition | null,
    limit: number,
  ): Promise<AuditPage> {
    const matching = [...this.#entries.values()]
      .filter((entry) => matches(entry, filter, apps) && (after === null || isAfter(entry, after)))
      .sort((one, other) => other.at_ms - one.at_ms || (one.id < other.id ? 1 : -1));
    const entries = matching.slice(0, limit);
    const last = entries.at(-1);
    const hasMore = matching.length > limit && last !== undefined;
    return { entries, next: hasMore ? { atMs: last.at_ms, id: last.id } : null };
  }

  async purge(beforeMs: number): Promise<void> {
    for (const [id, entry] of this.#entries) if (entry.at_ms < beforeMs) this.#entries.delete(id);
  }
}

const isAfter = ({ at_ms, id }: AuditEntry, after: AuditPosition): boolean =>
  at_ms < after.atMs || (at_ms === after.atMs && id < after.id);

function matches(entry: AuditEntry, filter: AuditFilter, apps: ReadonlySet<string> | null): boolean {
  const { app_id, principal, action, since_ms = 0, until_ms = Infinity } = filter;
  return (
    (app_id === undefined || entry.app_id === app_id) &&
    (principal === undefined || entry.principal === principal) &&
    (action === undefined || entry.action === action) &&
    entry.at_ms >= since_ms &&
    entry.at_ms < until_ms &&
    (apps === null || (entry.app_id !== null && apps.has(entry.app_id)))
  );
}

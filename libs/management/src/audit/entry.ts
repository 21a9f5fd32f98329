/** Names of audited actions. */
export const AUDIT_ACTIONS = [
  'session.login',
  'session.logout',
  'app.create',
  'app.update',
  'app.disable',
  'app.enable',
  'app.delete',
  'app.rotate_secret',
  'app.expire_previous_secret',
  'connection.disconnect',
  'user.disconnect',
  'channel.remove_user',
  'tail.start',
  'tail.end',
  'event.publish',
  'dead_letter.read',
  'dead_letter.replay',
  'dead_letter.delete',
  'webhook.test',
  'push.replay',
  'history.reset',
  'history.purge',
  'config.read',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

export type AuditOutcome = 'failed' | 'ok' | 'pending' | 'refused';

/** One entry of the audit log, as the API shows it. */
export interface AuditEntry {
  readonly id: string;
  readonly at_ms: number;
  readonly principal: string;
  /** First 12 hexadecimal digits of the hash of the session id; null for bearer requests. */
  readonly session: string | null;
  readonly address: string | null;
  readonly request_id: string;
  readonly action: AuditAction;
  readonly method: string;
  readonly app_id: string | null;
  readonly target: string | null;
  /** Changed members only; null: none, or not known. */
  readonly before: unknown;
  readonly after: unknown;
  readonly outcome: AuditOutcome;
  /** Null while the outcome is pending. */
  readonly status: number | null;
  readonly duration_ms: number | null;
}

/** What completes an entry. */
export type AuditCompletion = Pick<
  AuditEntry,
  'after' | 'app_id' | 'before' | 'duration_ms' | 'outcome' | 'status' | 'target'
>;

export interface AuditFilter {
  readonly app_id?: string;
  readonly principal?: string;
  readonly action?: string;
  readonly since_ms?: number;
  readonly until_ms?: number;
}

export interface AuditPage {
  /** Newest first. */
  readonly entries: readonly AuditEntry[];
  /** Position after the page; null after the last one. */
  readonly next: AuditPosition | null;
}

export interface AuditPosition {
  readonly atMs: number;
  readonly id: string;
}

/** Where entries are stored. Every method rejects when the store is unavailable. */
export interface AuditStore {
  /** Writes a pending or complete entry. */
  add(entry: AuditEntry): Promise<void>;
  complete(id: string, completion: AuditCompletion): Promise<void>;
  /** `apps`: null shows all, else only entries of these apps. */
  list(
    filter: AuditFilter,
    apps: ReadonlySet<string> | null,
    after: AuditPosition | null,
    limit: number,
  ): Promise<AuditPage>;
  /** Deletes entries older than this. */
  purge(beforeMs: number): Promise<void>;
}

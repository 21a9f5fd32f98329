import { randomUUID } from 'node:crypto';
import { ServiceError } from '@carillon/errors';
import type { Logger, Metrics } from '@carillon/runtime';
import { auditText, auditValue } from './changes.js';
import type { AuditDraft } from './draft.js';
import type { AuditAction, AuditEntry, AuditOutcome, AuditStore } from './entry.js';

/** What an entry says of its request. */
export interface AuditSubject {
  readonly action: AuditAction;
  readonly method: string;
  readonly principal: string;
  readonly sessionHash: string | null;
  readonly address: string | null;
  readonly requestId: string;
}

const STORE_TIMEOUT_MS = 3000;
const SHOWN_HASH = 12;
const outcomeOf = (status: number): AuditOutcome =>
  status < 400 ? 'ok' : status < 500 ? 'refused' : 'failed';

/** Writes audit entries: a pending one before the effect, completed after it. Every entry is a log line, too. */
export class AuditLog {
  constructor(
    readonly store: AuditStore,
    private readonly log: Logger,
    private readonly metrics: Metrics,
    private readonly now: () => number = Date.now,
  ) {}

  /** @throws ServiceError `service_unavailable` if the entry cannot be stored; the effect must not happen then. */
  async begin(subject: AuditSubject, draft: AuditDraft): Promise<RunningEntry> {
    const entry = this.#entry(subject, draft, 'pending', null);
    try {
      await within(this.store.add(entry));
    } catch (cause) {
      this.metrics.counter('management_audit_failures_total').for().add();
      throw new ServiceError('service_unavailable', { text: 'the audit log is unavailable', cause });
    }
    const startedMs = this.now();
    return { complete: (status) => this.#complete(entry, draft, status, this.now() - startedMs) };
  }

  /** Stores the entry of a request that was refused before its effect. Never rejects. */
  async refused(subject: AuditSubject, draft: AuditDraft, status: number): Promise<void> {
    const entry = this.#entry(subject, draft, outcomeOf(status), status);
    this.#write(entry);
    await within(this.store.add(entry)).catch((error: unknown) => this.#failed(error));
  }

  async #complete(entry: AuditEntry, draft: AuditDraft, status: number, durationMs: number): Promise<void> {
    const completion = {
      ...changedBy(draft),
      outcome: outcomeOf(status),
      status,
      duration_ms: durationMs,
    };
    this.#write({ ...entry, ...completion });
    await within(this.store.complete(entry.id, completion)).catch((error: unknown) => this.#failed(error));
  }

  #entry(
    { action, method, principal, sessionHash, address, requestId }: AuditSubject,
    draft: AuditDraft,
    outcome: AuditOutcome,
    status: number | null,
  ): AuditEntry {
    return {
      id: `a_${randomUUID().replaceAll('-', '')}`,
      at_ms: this.now(),
      principal,
      session: sessionHash?.slice(0, SHOWN_HASH) ?? null,
      address,
      request_id: requestId,
      action,
      method,
      ...changedBy(draft),
      outcome,
      status,
      duration_ms: status === null ? null : 0,
    };
  }

  #write(entry: AuditEntry): void {
    const { before, after, ...fields } = entry;
    this.log.info('management request', {
      ...fields,
      before: JSON.stringify(before),
      after: JSON.stringify(after),
    });
  }

  #failed(error: unknown): void {
    this.metrics.counter('management_audit_failures_total').for().add();
    this.log.warn('an audit entry could not be stored', { error });
  }
}

export interface RunningEntry {
  /** Completes the entry with the status of the answer. Never rejects. */
  complete(status: number): Promise<void>;
}

const changedBy = ({ appId, target, before, after }: AuditDraft) => ({
  app_id: appId === null ? null : auditText(appId),
  target: target === null ? null : auditText(target),
  before: auditValue(before),
  after: auditValue(after),
});

async function within<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the audit store did not answer in time')), STORE_TIMEOUT_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

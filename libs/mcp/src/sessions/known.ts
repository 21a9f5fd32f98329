import type { Audit, EndReason } from '../audit/audit.js';
import type { Session, Sessions } from './sessions.js';

const MOST = 10_000;

interface Known {
  readonly principal: string;
  /** When it lapses unless it is used, here or elsewhere. */
  lapsesAtMs: number;
}

/**
 * Sessions started in this process, for metrics and expiry notifications. Beyond the limit the oldest is forgotten
 * without a notification.
 */
export class KnownSessions {
  readonly #known = new Map<string, Known>();

  constructor(
    private readonly sessions: Sessions,
    private readonly audit: Audit,
    private readonly ttlMs: () => number,
    private readonly nowMs: () => number = Date.now,
  ) {}

  get count(): number {
    return this.#known.size;
  }

  began({ hash, principal }: Session): void {
    const [oldest] = this.#known.keys();
    if (this.#known.size >= MOST && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(hash, { principal, lapsesAtMs: this.nowMs() + this.ttlMs() });
  }

  ended(hash: string, principal: string, reason: EndReason): void {
    this.#known.delete(hash);
    this.audit.sessionEnded(hash, principal, reason);
  }

  /** Reports expired sessions. Rejects if the session store is unavailable. */
  async look(): Promise<void> {
    for (const [hash, known] of this.#known) {
      if (known.lapsesAtMs > this.nowMs()) continue;
      if (await this.sessions.lives(hash)) known.lapsesAtMs = this.nowMs() + this.ttlMs();
      else if (this.#known.has(hash)) this.ended(hash, known.principal, 'expired');
    }
  }

  /** Ends every session of principals that are no more. Rejects when the store of sessions cannot be reached. */
  async endOf(principals: readonly string[]): Promise<void> {
    for (const principal of principals) {
      const ended = await this.sessions.endAllOf(principal);
      for (const hash of ended) this.ended(hash, principal, 'token_removed');
    }
  }
}

import type { Cache } from '@carillon/cache';
import type { AttemptOutcome } from './retry.js';
import { failureOf, statusOf, type WebhookFailure } from './failure-class.js';

/** The last answers of one receiver. Null: none within 24 hours. */
export interface ReceiverAnswers {
  readonly last_success: {
    readonly at_ms: number;
    readonly status: number;
    readonly latency_ms: number;
  } | null;
  readonly last_failure: {
    readonly at_ms: number;
    readonly status: number | null;
    readonly error: WebhookFailure;
    readonly attempt: number;
  } | null;
  readonly delivered_15m: number;
  readonly failed_15m: number;
}

/** One attempt and its outcome. */
export interface Attempt {
  readonly appId: string;
  /** Key of the receiver, see `entryKeys`. */
  readonly entry: string;
  readonly attempt: number;
  readonly latencyMs: number;
  readonly outcome: AttemptOutcome;
}

const KEPT_MS = 86_400_000;
const MINUTE_MS = 60_000;
const COUNTED_MINUTES = 15;
/** Writes under way at once; more attempts are not recorded, since deliveries must not wait for a cache. */
const MAX_WRITES = 64;

const nameOf = (appId: string, entry: string, what: string): string =>
  `webhook:answers:${appId}:${entry}:${what}`;

/** Last answers of receivers, in the shared cache. */
export class LastAnswers {
  #writes = 0;

  constructor(
    private readonly cache: Pick<Cache, 'get' | 'incrementBy' | 'set'>,
    private readonly now: () => number = Date.now,
  ) {}

  /** Records an attempt in the background; what cannot be written is lost. */
  record(attempt: Attempt): void {
    if (this.#writes >= MAX_WRITES) return;
    this.#writes += 1;
    void this.#write(attempt)
      .catch(() => undefined)
      .finally(() => {
        this.#writes -= 1;
      });
  }

  async read(appId: string, entry: string): Promise<ReceiverAnswers> {
    const [success, failure, delivered, failed] = await Promise.all([
      this.#last(appId, entry, 'success'),
      this.#last(appId, entry, 'failure'),
      this.#count(appId, entry, 'success'),
      this.#count(appId, entry, 'failure'),
    ]);
    return {
      last_success: success as ReceiverAnswers['last_success'],
      last_failure: failure as ReceiverAnswers['last_failure'],
      delivered_15m: delivered,
      failed_15m: failed,
    };
  }

  async #write({ appId, entry, attempt, latencyMs, outcome }: Attempt): Promise<void> {
    const at_ms = this.now();
    const isDelivered = outcome.kind === 'delivered';
    const kind = isDelivered ? 'success' : 'failure';
    const record = isDelivered
      ? { at_ms, status: outcome.status, latency_ms: Math.round(latencyMs) }
      : { at_ms, status: statusOf(outcome.reason), error: failureOf(outcome.reason), attempt };
    await this.cache.set(nameOf(appId, entry, kind), JSON.stringify(record), KEPT_MS);
    const minute = Math.floor(at_ms / MINUTE_MS);
    await this.cache.incrementBy(
      nameOf(appId, entry, `${kind}:${minute}`),
      1,
      (COUNTED_MINUTES + 1) * MINUTE_MS,
    );
  }

  async #last(appId: string, entry: string, kind: string): Promise<unknown> {
    const text = await this.cache.get(nameOf(appId, entry, kind));
    return text === null ? null : (JSON.parse(text) as unknown);
  }

  async #count(appId: string, entry: string, kind: string): Promise<number> {
    const minute = Math.floor(this.now() / MINUTE_MS);
    const counts = Array.from({ length: COUNTED_MINUTES }, (_, index) =>
      this.cache.get(nameOf(appId, entry, `${kind}:${minute - index}`)),
    );
    return (await Promise.all(counts)).reduce((sum, text) => sum + Number(text ?? 0), 0);
  }
}

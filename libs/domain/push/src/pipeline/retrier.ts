import type { StoredDeadLetter, StoredPublish } from '@carillon/push-store';
import { defer, type Settlement } from '@carillon/queue';
import type { PushParts } from '../parts.js';
import { batchItem, deliveryAnew } from './batcher.js';
import { tellIfOver } from '../watch/meta.js';
import { deadLetterOf, replayOf, tellDead } from './dead-letters.js';
import { withCounts } from './lifecycle.js';
import type { Outbox } from './outbox.js';
import type { RetryEntry } from './payloads.js';
import { putBack } from './put-back.js';
import { deadlineOf } from './retry-rule.js';

const KEPT_MS = 7 * 86_400_000;
const LOCK_MS = 30_000;
const LATER_MS = 1000;
/** Clocks differ, and timers are not exact. */
const EARLY_MS = 50;

type End = { readonly outcome: 'expired' } | { readonly outcome: 'dead_lettered'; readonly reason: string };

/** Sends deliveries out again when their time has come, or ends them. */
export class Retrier {
  constructor(
    private readonly parts: PushParts,
    private readonly outbox: Outbox,
  ) {}

  async retry(entry: RetryEntry): Promise<Settlement | void> {
    const { store, now, owner } = this.parts;
    const { appId, retryKey } = entry;
    const earlyMs = entry.nextAttemptAtMs - now();
    if (earlyMs > EARLY_MS) return this.#wait(entry, earlyMs);
    const [known] = await store.idempotency(appId, [retryKey], now());
    if (known !== undefined) return undefined;
    if (!(await store.lock(appId, retryKey, owner, now(), now() + LOCK_MS)))
      return putBack(this.parts, 'retry_schedule', 'locked', defer(LATER_MS));
    try {
      const end = this.#endOf(entry);
      await (end === null ? this.#again(entry) : this.#end(entry, end));
      return undefined;
    } finally {
      await store.unlock(appId, retryKey, owner).catch(() => undefined);
    }
  }

  #wait({ provider, appId }: RetryEntry, earlyMs: number): Settlement {
    const { metrics } = this.parts;
    const labels = { provider, app: appId };
    metrics.counter('push_retry_deferred_total').for(labels).add();
    metrics
      .gauge('push_retry_deferred_delay_seconds')
      .for(labels)
      .set(earlyMs / 1000);
    return putBack(this.parts, 'retry_schedule', 'early', defer(earlyMs));
  }

  /** Null: it is tried again. */
  #endOf({ job, maxAttempts, expiresAtMs, firstAttemptAtMs }: RetryEntry): End | null {
    const { config, now } = this.parts;
    if (expiresAtMs !== null && expiresAtMs <= now()) return { outcome: 'expired' };
    if (job.attempt > maxAttempts) return { outcome: 'dead_lettered', reason: 'retry attempts exhausted' };
    if (now() >= deadlineOf({ firstAttemptAtMs, expiresAtMs }, config.push.retry)) {
      return { outcome: 'dead_lettered', reason: 'retry age expired' };
    }
    return null;
  }

  async #again(entry: RetryEntry): Promise<void> {
    const { store, metrics, now } = this.parts;
    const { appId, publishId, provider, rendered, expiresAtMs, job, retryKey } = entry;
    const batchId = `${entry.batchId.replace(/-retry-\d+-[0-9a-f]+$/, '')}-retry-${job.attempt}-${job.deliveryKey.slice(0, 16)}`;
    await this.outbox.hand([
      batchItem({ appId, publishId, provider, batchId, rendered, expiresAtMs, jobs: [job] }),
    ]);
    // Behind it, so that a process that dies in between gives it out again rather than not at all.
    if (!(await store.remember(appId, retryKey, now(), now() + KEPT_MS))) return;
    metrics.counter('push_retry_attempted_total').for({ provider, app: appId }).add();
    await store.changePublish(appId, publishId, [], (publish) => ({
      publish: withCounts(publish, { retryAttempted: 1 }, now()),
    }));
  }

  async #end(entry: RetryEntry, end: End): Promise<void> {
    const { store, metrics, now } = this.parts;
    const { appId, publishId, provider, job } = entry;
    const { deliveryKey, attempt } = job;
    const step = {
      deliveryKey,
      from: 'retry',
      attempt,
      to: { state: 'done', outcome: end.outcome },
    } as const;
    const isExpired = end.outcome === 'expired';
    let before: StoredPublish | null = null;
    let last: StoredPublish | null = null;
    let letters: readonly StoredDeadLetter[] = [];
    await store.changePublish(appId, publishId, [step], (publish, taken) => {
      [before, last, letters] = [null, null, []];
      if (!taken.has(deliveryKey)) return null;
      const added = isExpired ? { expired: 1, dispatched: 1 } : { deadLettered: 1 };
      const after = withCounts(publish, added, now());
      [before, last, letters] = [publish, after, isExpired ? [] : [this.#deadLetter(entry, end.reason)]];
      return { publish: after, deadLetters: letters };
    });
    tellIfOver(this.parts, before, last);
    for (const letter of letters) tellDead(this.parts, letter);
    const name = isExpired ? 'push_retry_expired_total' : 'push_retry_dead_lettered_total';
    metrics.counter(name).for({ provider, app: appId }).add();
  }

  #deadLetter(entry: RetryEntry, reason: string): StoredDeadLetter {
    const { appId, publishId, provider, job, retryKey } = entry;
    const { config, secrets, now } = this.parts;
    const item = deliveryAnew(entry, `#replay:${now()}`);
    return deadLetterOf(
      {
        appId,
        publishId,
        provider,
        stage: 'retry_schedule',
        key: retryKey,
        reason,
        occurredMs: now(),
        replay: replayOf(item, config.push.queue_partition_count, job.deliveryKey, 'deadLettered'),
      },
      secrets,
    );
  }
}

import type { StoredDeadLetter, StoredPublish } from '@carillon/push-store';
import { defer, type Settlement } from '@carillon/queue';
import type { PushParts } from '../parts.js';
import { batchItem, deliveryAnew } from './batcher.js';
import { tellIfOver } from '../watch/meta.js';
import { sha256 } from '../hash.js';
import { deadLetterOf, replayOf, tellDead } from './dead-letters.js';
import { Gathering } from './gathering.js';
import type { NewItem } from './items.js';
import { withCounts } from './lifecycle.js';
import type { Outbox } from './outbox.js';
import type { RetryEntry } from './payloads.js';
import { putBack } from './put-back.js';
import { deadlineOf } from './retry-rule.js';

const KEPT_MS = 7 * 86_400_000;
/** Bytes of a queue item beside its jobs. */
const HEAD_BYTES = 2048;
/** Clocks differ, and timers are not exact. */
const EARLY_MS = 50;

type End = { readonly outcome: 'expired' } | { readonly outcome: 'dead_lettered'; readonly reason: string };

/** Sends deliveries out again when their time has come, or ends them. Those of a publish that are due together go together. */
export class Retrier {
  readonly #due = new Gathering<RetryEntry>(
    ({ appId, publishId, provider }) => JSON.stringify([appId, publishId, provider]),
    (entries) => this.#work(entries),
  );

  constructor(
    private readonly parts: PushParts,
    private readonly outbox: Outbox,
  ) {}

  async retry(entry: RetryEntry): Promise<Settlement | void> {
    const earlyMs = entry.nextAttemptAtMs - this.parts.now();
    if (earlyMs > EARLY_MS) return this.#wait(entry, earlyMs);
    return this.#due.add(entry);
  }

  /** Entries processed before are recognised by their keys; concurrent workers are separated by claims. */
  async #work(entries: readonly RetryEntry[]): Promise<void> {
    const { store, now } = this.parts;
    const [first] = entries;
    if (first === undefined) return;
    const unique = new Map(entries.map((entry) => [entry.retryKey, entry]));
    for (const { key } of await store.idempotency(first.appId, [...unique.keys()], now())) unique.delete(key);
    const again: RetryEntry[] = [];
    for (const entry of unique.values()) {
      const end = this.#endOf(entry);
      if (end === null) again.push(entry);
      else await this.#end(entry, end);
    }
    if (again.length > 0) await this.#again(first, again);
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

  async #again({ appId, publishId, provider }: RetryEntry, entries: readonly RetryEntry[]): Promise<void> {
    const { store, metrics, now } = this.parts;
    await this.outbox.hand(batchesOf(entries, this.outbox.maxItemBytes - HEAD_BYTES));
    // Behind it, so that a process that dies in between gives it out again rather than not at all.
    const keys = entries.map(({ retryKey }) => retryKey);
    const { size } = await store.rememberAll(appId, keys, now(), now() + KEPT_MS);
    if (size === 0) return;
    metrics.counter('push_retry_attempted_total').for({ provider, app: appId }).add(size);
    await store.changePublish(appId, publishId, [], (publish) => ({
      publish: withCounts(publish, { retryAttempted: size }, now()),
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

/** Entries of one publish and provider as batches that queues take; those of a batch have the same payload and expiry. */
function batchesOf(entries: readonly RetryEntry[], mostBytes: number): NewItem[] {
  const items: NewItem[] = [];
  let some: RetryEntry[] = [];
  let bytes = 0;
  const emit = (): void => {
    const [first] = some;
    if (first !== undefined) items.push(batchOf(first, some));
    some = [];
  };
  for (const entry of entries) {
    const own = Buffer.byteLength(JSON.stringify(entry.job)) + 1;
    const [first] = some;
    if (first === undefined || bytes + own > mostBytes || !isAlike(first, entry)) {
      emit();
      bytes = Buffer.byteLength(JSON.stringify(entry.rendered));
    }
    some.push(entry);
    bytes += own;
  }
  emit();
  return items;
}

const isAlike = (one: RetryEntry, other: RetryEntry): boolean =>
  one.expiresAtMs === other.expiresAtMs && JSON.stringify(one.rendered) === JSON.stringify(other.rendered);

/** The batch of one delivery is named by it, that of several by all of them. */
function batchOf(first: RetryEntry, entries: readonly RetryEntry[]): NewItem {
  const { appId, publishId, provider, rendered, expiresAtMs, job } = first;
  const keys = entries.map((entry) => entry.job.deliveryKey);
  const which = keys.length === 1 ? job.deliveryKey : sha256(...keys.toSorted());
  const name = first.batchId.replace(/-retry-\d+-[0-9a-f]+$/, '');
  const batchId = `${name}-retry-${job.attempt}-${which.slice(0, 16)}`;
  return batchItem({
    appId,
    publishId,
    provider,
    batchId,
    rendered,
    expiresAtMs,
    jobs: entries.map((entry) => entry.job),
  });
}

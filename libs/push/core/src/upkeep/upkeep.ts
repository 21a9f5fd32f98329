import { PROVIDERS } from '@carillon/push-providers';
import { publishItem } from '../admission/publish-item.js';
import type { PushParts } from '../parts.js';
import { tellMeta } from '../watch/meta.js';
import { deadLetterOf, tellDead } from '../pipeline/dead-letters.js';
import { decodeItem, queuesOf, type Stage } from '../pipeline/items.js';
import type { Outbox } from '../pipeline/outbox.js';
import { publishNamed } from '../pipeline/payloads.js';

const PAGE = 1000;
const NO_APP = '';
const DEFERRED_LOCK = 'deferred items';
/** More than a page of them takes. A process that dies meanwhile holds the others up so long. */
const DEFERRED_LOCK_MS = 30_000;
/** Reason of unreadable dead letters, which cannot be replayed. */
export const MALFORMED = 'malformed';
/** Owner of unreadable work. */
const NOBODY = { appId: '', publishId: '' };

/** Periodic work: due jobs, and dead letters of the queues. */
export class Upkeep {
  constructor(
    private readonly parts: PushParts,
    private readonly outbox: Outbox,
  ) {}

  /** Gives out publishes whose time has come, however long ago. */
  async schedule(): Promise<void> {
    const { store, metrics, now } = this.parts;
    const jobs = await store.dueJobs(now(), PAGE);
    const [first] = jobs;
    metrics
      .gauge('push_scheduler_lag_seconds')
      .for()
      .set(first === undefined ? 0 : (now() - first.dueMs) / 1000);
    for (const { appId, jobId } of jobs) {
      const publish = await store.publish(appId, jobId);
      if (publish?.state === 'queued') await this.outbox.hand([publishItem(appId, jobId, null, '#due')]);
      const state = publish?.state ?? null;
      tellMeta(this.parts, 'scheduler-event', { appId, publishId: jobId, detail: { state } });
      await store.removeJob(appId, jobId);
    }
  }

  /** Gives out items that queues could not keep. One process at a time: not every queue knows an item again. */
  async releaseDeferred(): Promise<void> {
    const { store, now, owner } = this.parts;
    if (!(await store.lock(NO_APP, DEFERRED_LOCK, owner, now(), now() + DEFERRED_LOCK_MS))) return;
    try {
      await this.#releaseDeferred();
    } finally {
      await store.unlock(NO_APP, DEFERRED_LOCK, owner);
    }
  }

  async #releaseDeferred(): Promise<void> {
    const { store, now } = this.parts;
    const items = await store.dueDeferred(now(), PAGE);
    for (const item of items) await this.outbox.release(item);
    await store.removeDeferred(items.map(({ id }) => id));
  }

  /** Imports dead letters of the queues into the store, where they can be listed and replayed. */
  async importDeadLetters(): Promise<void> {
    const { config, queue } = this.parts;
    const stages: Stage[] = ['publish', 'shards', 'results', 'retry', ...PROVIDERS];
    for (const stage of stages) {
      for (const name of queuesOf(stage, config.push.queue_partition_count)) {
        if (!queue.capabilities.deadLetter) return;
        const dead = await queue.listDeadLetters(name, 100);
        for (const { data, reason, id } of dead) await this.#keep(stage, name, id, data, reason);
        if (dead.length > 0) {
          await queue.removeDeadLetters(
            name,
            dead.map(({ id }) => id),
          );
        }
      }
    }
  }

  async #keep(stage: Stage, queue: string, id: string, data: string | null, reason: string): Promise<void> {
    const { store, secrets, now, log } = this.parts;
    const item = data === null ? null : decodeItem(data);
    const named = item === null ? null : publishNamed(item.payload);
    if (named === null) log.error('push work could not be read', { queue, job_id: id });
    const provider = PROVIDERS.find((one) => one === stage) ?? null;
    const names: Readonly<Partial<Record<Stage, string>>> = {
      publish: 'publish_log',
      shards: 'shard_jobs',
      results: 'delivery_results',
      retry: 'retry_schedule',
    };
    const isReadable = data !== null && item !== null && named !== null && reason !== MALFORMED;
    const letter = deadLetterOf(
      {
        ...(named ?? NOBODY),
        provider,
        stage: names[stage] ?? `delivery_jobs_${stage}`,
        key: item?.key ?? id,
        reason: named === null ? MALFORMED : reason,
        occurredMs: now(),
        replay: isReadable
          ? { queue, data, deliveryKey: null, undo: null, jobId: `${item.messageId}#replay:${now()}` }
          : null,
      },
      secrets,
    );
    await store.putDeadLetter(letter);
    tellDead(this.parts, letter);
  }
}

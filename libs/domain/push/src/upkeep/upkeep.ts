import { PROVIDERS } from '@carillon/push-providers';
import { PURGE_CATEGORIES, type PurgeCategory } from '@carillon/push-store';
import { publishItem } from '../admission/publish-item.js';
import type { PushParts } from '../parts.js';
import { sealPlace } from '../pipeline/credentials.js';
import { deadLetterOf } from '../pipeline/dead-letters.js';
import { decodeItem, queuesOf, type Stage } from '../pipeline/items.js';
import type { Outbox } from '../pipeline/outbox.js';
import { publishNamed } from '../pipeline/payloads.js';

const PAGE = 1000;
const DAY_MS = 86_400_000;

/** What is done now and then: what is due, what queues gave up on, what is old. */
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
      await store.removeJob(appId, jobId);
    }
  }

  /** Gives out items that queues could not keep. */
  async releaseDeferred(): Promise<void> {
    const { store, now } = this.parts;
    const items = await store.dueDeferred(now(), PAGE);
    for (const item of items) await this.outbox.release(item);
    await store.removeDeferred(items.map(({ id }) => id));
  }

  async cleanUp(): Promise<void> {
    const { config, metrics } = this.parts;
    const fromMs = performance.now();
    let left = config.push.cleanup_max_deleted_per_tick;
    for (const category of PURGE_CATEGORIES) {
      const beforeMs = this.#oldest(category);
      if (beforeMs !== null) left -= await this.#purge(category, beforeMs, left);
    }
    await this.#sealAnew();
    metrics
      .histogram('push_cleanup_tick_duration_seconds')
      .for()
      .observe((performance.now() - fromMs) / 1000);
  }

  /** How many rows went. */
  async #purge(category: PurgeCategory, beforeMs: number, most: number): Promise<number> {
    const { config, metrics, store } = this.parts;
    let gone = 0;
    for (let more = true; more && gone < most;) {
      const limit = Math.min(most - gone, config.push.cleanup_batch_size);
      const removed = await store.purge(category, beforeMs, limit);
      gone += removed;
      more = removed === limit;
    }
    metrics.counter('push_cleanup_deleted_total').for({ category }).add(gone);
    return gone;
  }

  /** What a queue gave up on becomes a dead letter here, where it can be seen and replayed. */
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
    if (item === null || named === null) {
      log.error('push work could not be read', { queue, job_id: id });
      return;
    }
    const provider = PROVIDERS.find((one) => one === stage) ?? null;
    const names: Readonly<Partial<Record<Stage, string>>> = {
      publish: 'publish_log',
      shards: 'shard_jobs',
      results: 'delivery_results',
      retry: 'retry_schedule',
    };
    await store.putDeadLetter(
      deadLetterOf(
        {
          ...named,
          provider,
          stage: names[stage] ?? `delivery_jobs_${stage}`,
          key: item.key,
          reason,
          occurredMs: now(),
          replay:
            data === null
              ? null
              : { queue, data, deliveryKey: null, undo: null, jobId: `${item.messageId}#replay:${now()}` },
        },
        secrets,
      ),
    );
  }

  /** Null: nothing of it is removed. */
  #oldest(category: PurgeCategory): number | null {
    const { push } = this.parts.config;
    const nowMs = this.parts.now();
    const ago = (days: number): number | null => (days === 0 ? null : nowMs - days * DAY_MS);
    if (category === 'publishes') return ago(push.publish_status_ttl_days);
    if (category === 'staleDevices') return ago(push.stale_device_max_age_days);
    const isLog =
      category === 'deliveryEvents' || category === 'operatorEvents' || category === 'deadLetters';
    return isLog ? ago(push.analytics_retention_days) : nowMs;
  }

  /** Seals credentials anew that an earlier master key sealed. */
  async #sealAnew(): Promise<void> {
    const { store, secrets, now } = this.parts;
    const { sealer } = secrets;
    if (sealer === null) return;
    let after: readonly [string, string] | null = null;
    for (;;) {
      const page = await store.allCredentials(after, 100);
      for (const row of page) {
        if (!Object.values(row.sealedFields).some((envelope) => sealer.isOld(envelope))) continue;
        const sealedFields = Object.fromEntries(
          Object.entries(row.sealedFields).map(([field, envelope]) => {
            const place = sealPlace(row, field);
            return [
              field,
              sealer.isOld(envelope) ? sealer.seal(sealer.open(envelope, place), place) : envelope,
            ];
          }),
        );
        await store.putCredential({ ...row, sealedFields, updatedMs: now() }, row.version, null);
      }
      const last = page.at(-1);
      if (last === undefined || page.length < 100) return;
      after = [last.appId, last.credentialId];
    }
  }
}

import { PROVIDERS } from '@carillon/push-providers';
import type { Claim } from '@carillon/push-store';
import { publishItem } from '../admission/publish-item.js';
import type { PushParts } from '../parts.js';
import { batchItem } from '../pipeline/batcher.js';
import { deadLetterOf } from '../pipeline/dead-letters.js';
import { decodeItem, queuesOf, type Stage } from '../pipeline/items.js';
import { settled, withCounts } from '../pipeline/lifecycle.js';
import type { Outbox } from '../pipeline/outbox.js';
import { publishNamed } from '../pipeline/payloads.js';
import type { Planner } from '../pipeline/planner.js';

const PAGE = 1000;
const FORGOTTEN_MS = 600_000;
const WATCHDOG_MS = 3_600_000;

/** What is done now and then: what is due, and what was forgotten. */
export class Upkeep {
  constructor(
    private readonly parts: PushParts,
    private readonly outbox: Outbox,
    private readonly planner: Planner,
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
      if (publish?.state === 'queued') await this.outbox.put([publishItem(appId, jobId, null, '#due')]);
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

  async repair(): Promise<void> {
    await this.#repairPublishes();
    await this.#repairClaims();
    await this.#closeStale();
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

  async #repairPublishes(): Promise<void> {
    const { store, config, metrics, now } = this.parts;
    const { repair_batch_size: most, repair_min_age_secs: seconds } = config.push;
    const queued = await store.forgottenPublishes('queued', now() - seconds * 1000, now(), most);
    // A planner has begun and is gone, and its work is no longer in any queue. Planning twice changes nothing.
    const begun = await store.forgottenPublishes('planning', now() - FORGOTTEN_MS, now(), most);
    const found = [...queued, ...begun];
    metrics.counter('push_repair_scanned_total').for({ category: 'publishes' }).add(found.length);
    const minute = Math.floor(now() / 60_000);
    for (const { appId, publishId } of found) {
      await this.outbox.put([publishItem(appId, publishId, null, `#repair:${minute}`)]);
      metrics.counter('push_repair_requeued_total').for({ stage: 'publish_log', reason: 'missing' }).add();
    }
  }

  /** Deliveries that were given out and that nobody has: their batches are lost. */
  async #repairClaims(): Promise<void> {
    const { store, metrics, now } = this.parts;
    const found = await store.forgottenClaims(now() - FORGOTTEN_MS, PAGE);
    const byPublish = new Map<string, Claim[]>();
    for (const claim of found) {
      const name = JSON.stringify([claim.appId, claim.publishId, claim.provider]);
      byPublish.set(name, [...(byPublish.get(name) ?? []), claim]);
    }
    for (const claims of byPublish.values()) await this.#giveOutAnew(claims);
    metrics
      .counter('push_repair_requeued_total')
      .for({ stage: 'delivery_jobs', reason: 'forgotten' })
      .add(found.length);
  }

  async #giveOutAnew(claims: readonly Claim[]): Promise<void> {
    const { store, now } = this.parts;
    const [first] = claims;
    if (first === undefined) return;
    const { appId, publishId } = first;
    const keys = claims.map(({ deliveryKey }) => deliveryKey);
    const plan = await this.planner.load(appId, publishId);
    const provider = PROVIDERS.find((one) => one === first.provider);
    // Those without a device are planned anew as a whole, since only the publish knows whom they are for.
    const ofDevices = claims.filter(({ deviceId }) => deviceId !== null);
    if (plan !== null && provider !== undefined && ofDevices.length > 0) {
      const batchId = `repair-${Math.floor(now() / 60_000)}-${first.deliveryKey.slice(0, 16)}`;
      const jobs = ofDevices.map(({ deliveryKey, deviceId, attempt }) => ({
        deliveryKey,
        deviceId,
        attempt,
        firstAttemptAtMs: null,
        recipient: null,
        audience: null,
      }));
      const rendered = plan.rendered.get(provider) ?? {};
      const { expiresAtMs } = plan.log;
      for (let from = 0; from < jobs.length; from += 500) {
        const some = jobs.slice(from, from + 500);
        await this.outbox.put([
          batchItem({
            appId,
            publishId,
            provider,
            batchId: `${batchId}-${from}`,
            rendered,
            expiresAtMs,
            jobs: some,
          }),
        ]);
      }
    }
    if (plan !== null && ofDevices.length < claims.length) await this.planner.replanRaw(plan);
    await store.touchClaims(appId, publishId, keys, now());
  }

  /** Ends what will not end by itself any more. */
  async #closeStale(): Promise<void> {
    const { store, config, log, now, secrets, metrics } = this.parts;
    const beforeMs = now() - (config.push.retry.max_elapsed_secs * 1000 + WATCHDOG_MS);
    for (const { appId, publishId } of await store.stalePublishes(beforeMs, config.push.repair_batch_size)) {
      const open = await store.openClaims(appId, publishId, null, PAGE);
      if (open.some(({ leaseUntilMs }) => (leaseUntilMs ?? 0) > now())) {
        metrics.counter('push_repair_skipped_total').for({ reason: 'leased' }).add();
        continue;
      }
      const steps = open.map(({ deliveryKey, attempt }) => ({
        deliveryKey,
        attempt,
        from: 'open' as const,
        to: { state: 'done', outcome: 'dead_lettered' } as const,
      }));
      const planned = await store.countClaims(appId, publishId);
      await store.changePublish(appId, publishId, steps, (publish, taken) => {
        const counted = withCounts(publish, { deadLettered: taken.size }, now());
        const complete = open.length < PAGE;
        const counters = publish.planningComplete ? counted.counters : { ...counted.counters, planned };
        const last = complete ? settled({ ...counted, counters, planningComplete: true }) : counted;
        return {
          publish: { ...last, errorReason: 'delivery results incomplete' },
          deadLetters: [
            deadLetterOf(
              {
                appId,
                publishId,
                provider: null,
                stage: 'delivery_results',
                key: `${appId}:${publishId}`,
                reason: 'delivery results incomplete',
                occurredMs: now(),
                replay: null,
              },
              secrets,
            ),
          ],
        };
      });
      log.warn('a push that could not end was closed', { app_id: appId, open: open.length });
    }
  }
}

import { type RenderedPayload, tokenHash, TRANSPORTS } from '@carillon/push-providers';
import type { StoredPublish, StoredShard } from '@carillon/push-store';
import { defer, type Settlement } from '@carillon/queue';
import { correctUse } from '../admission/quotas.js';
import type { Target } from '../admission/targets.js';
import { sha256 } from '../hash.js';
import type { PushParts } from '../parts.js';
import { Batcher, jobOf, type Reached } from './batcher.js';
import { isOver, settled } from './lifecycle.js';
import type { Outbox } from './outbox.js';
import type { DeliveryJob, ShardJob } from './payloads.js';
import { streamDevices } from './stream.js';
import type { Plan } from './plan.js';
import { putBack } from './put-back.js';
import { move } from '../watch/invariants.js';
import { tellIfOver } from '../watch/meta.js';

const LOCK_MS = 30_000;
const BUSY_MS = 1000;
const SHARDS_AT_ONCE = 1000;

/** Turns accepted publishes into deliveries: each device once, in batches, or in shards where there are many. */
export class Planner {
  constructor(
    private readonly parts: PushParts,
    private readonly outbox: Outbox,
  ) {}

  /**
   * Plans a publish, or resumes an interrupted planning; no-op if it is planned or over. Planning is idempotent:
   * existing deliveries and shards are kept.
   */
  async plan(appId: string, publishId: string): Promise<Settlement | void> {
    const { store, now, owner } = this.parts;
    const found = await store.publish(appId, publishId);
    if (found === null || found.planningComplete || isOver(found)) return undefined;
    const lock = `planner:${publishId}`;
    if (!(await store.lock(appId, lock, owner, now(), now() + LOCK_MS)))
      return putBack(this.parts, 'publish_log', 'locked', defer(BUSY_MS));
    const renewal = setInterval(() => {
      void store.lock(appId, lock, owner, now(), now() + LOCK_MS).catch(() => undefined);
    }, LOCK_MS / 3);
    try {
      return await this.#planLocked(appId, publishId);
    } finally {
      clearInterval(renewal);
      await store.unlock(appId, lock, owner).catch(() => undefined);
    }
  }

  async #planLocked(appId: string, publishId: string): Promise<Settlement | void> {
    const { store, metrics, now } = this.parts;
    const fromMs = performance.now();
    const plan = await this.load(appId, publishId);
    if (plan === null) return undefined;
    const { notBeforeMs } = plan.log;
    // The queue or the scheduler was early; a clock differs.
    if (notBeforeMs !== null && notBeforeMs > now())
      return putBack(this.parts, 'publish_log', 'early', defer(notBeforeMs - now()));
    await store.changePublish(appId, publishId, [], (publish) => ({
      publish: move(this.parts, publish, 'planning'),
    }));
    const inShards = plan.publish.fanoutRegime === 'shardPath';
    const rest = await this.#direct(plan, inShards);
    const shards = inShards ? this.#shardsOfAll(plan) : rest;
    await this.#putShards(appId, publishId, shards);
    await store.changePublish(appId, publishId, [], (publish) => ({ publish: this.#givenOut(publish) }));
    metrics
      .histogram('push_planner_duration_seconds')
      .for()
      .observe((performance.now() - fromMs) / 1000);
    return undefined;
  }

  /** Null: there is nothing to plan. */
  async load(appId: string, publishId: string): Promise<Plan | null> {
    const { store, secrets } = this.parts;
    const [publish, log] = [await store.publish(appId, publishId), await store.log(appId, publishId)];
    if (publish === null || log === null) return null;
    const targets = JSON.parse(secrets.open(log.targets, ['push_publish_log', appId, publishId])) as Target[];
    const rendered = JSON.parse(log.rendered) as RenderedPayload[];
    return { publish, log, targets, rendered: new Map(rendered.map((one) => [one.provider, one.payload])) };
  }

  /** All deliveries are known: their number is, and with it whether the publish is over. */
  async complete(appId: string, publishId: string): Promise<void> {
    const { store, metrics, now } = this.parts;
    const planned = await store.countClaims(appId, publishId);
    metrics.histogram('push_fanout_size').for({ app: appId }).observe(planned);
    let before: StoredPublish | null = null;
    let last: StoredPublish | null = null;
    await store.changePublish(appId, publishId, [], (publish) => {
      const counters = { ...publish.counters, planned };
      const whole = { ...this.#givenOut(publish), planningComplete: true, counters, updatedMs: now() };
      [before, last] = [publish, settled(whole)];
      return { publish: last };
    });
    tellIfOver(this.parts, before, last);
    if (isFirst(before)) await correctUse(this.parts, appId, publishId, planned);
  }

  /** Its work is enqueued; some may already be throttled, which ends only with a send. */
  #givenOut(publish: StoredPublish): StoredPublish {
    return publish.state === 'throttled' ? publish : move(this.parts, publish, 'dispatching');
  }

  /** Deliveries to addresses and audiences that were given with the publish, as they are at first, by their keys. */
  jobsOfPublish({ log, targets }: Plan): ReadonlyMap<string, DeliveryJob> {
    const reached = targets.map(reachedBy).filter((one) => one !== null);
    const jobs = reached.map((one) => jobOf(this.parts.secrets, log, one));
    return new Map(jobs.map((job) => [job.deliveryKey, job]));
  }

  /** Runs a part of a publish; the last part completes it. */
  async runShard(job: ShardJob): Promise<void> {
    const { store, now } = this.parts;
    const { appId, publishId, shardId } = job;
    const row = await store.shard(appId, publishId, shardId);
    if (row === null) return;
    if (row.status !== 'complete') {
      // It was continued, but the continuing process may have died before reporting it.
      if (row.chain > job.chain) return this.#enqueueShards([shardOf(row)]);
      const plan = await this.load(appId, publishId);
      const target = plan?.targets[job.targetIndex];
      if (plan === null || target === undefined) return;
      const batcher = this.#batcher(plan, `t${job.targetIndex}-s${job.shardIndex}-c${job.chain}`);
      const last = await this.#stream(plan, target, batcher, { ...job, limit: plan.log.shardSize });
      await batcher.flush();
      const emitted = row.emitted + batcher.emitted;
      if (last !== null) {
        const next: ShardJob = { ...job, chain: job.chain + 1, cursor: last };
        await store.changeShard({
          ...row,
          chain: next.chain,
          body: JSON.stringify(next),
          emitted,
          updatedMs: now(),
        });
        await this.#enqueueShards([next]);
        return;
      }
      await store.changeShard({ ...row, status: 'complete', emitted, updatedMs: now() });
    }
    const [open] = await store.openShards(appId, publishId, null, 1);
    if (open === undefined) await this.complete(appId, publishId);
  }

  /** Expands targets directly; long ones become shards for the rest. */
  async #direct(plan: Plan, onlyUnsharded = false): Promise<ShardJob[]> {
    const rest: ShardJob[] = [];
    for (const [index, target] of plan.targets.entries()) {
      if (onlyUnsharded && (target.type === 'channel' || target.type === 'client')) continue;
      const batcher = this.#batcher(plan, `t${index}-s0`);
      const whole = { shardIndex: 0, shardCount: 1, cursor: null, limit: plan.log.fastThreshold };
      const last = await this.#stream(plan, target, batcher, whole);
      await batcher.flush();
      if (last !== null) rest.push(this.#shard(plan, index, 0, 1, last));
    }
    return rest;
  }

  #shardsOfAll(plan: Plan): ShardJob[] {
    const { channel_shard_count: count } = this.parts.config.push;
    return plan.targets.flatMap((target, index) =>
      target.type === 'channel' || target.type === 'client'
        ? Array.from({ length: count }, (_, shard) => this.#shard(plan, index, shard, count, null))
        : [],
    );
  }

  #shard(
    { log }: Plan,
    targetIndex: number,
    shardIndex: number,
    shardCount: number,
    cursor: string | null,
  ): ShardJob {
    const { appId, publishId } = log;
    const shardId = `t${targetIndex}-s${shardIndex}`;
    return { appId, publishId, shardId, targetIndex, shardIndex, shardCount, chain: 0, cursor };
  }

  /** Enqueues the remaining shards, including those of an earlier try; without any, planning is complete. */
  async #putShards(appId: string, publishId: string, shards: readonly ShardJob[]): Promise<void> {
    const { store, now } = this.parts;
    const updatedMs = now();
    await store.putShards(
      shards.map((shard) => ({
        appId: shard.appId,
        publishId: shard.publishId,
        shardId: shard.shardId,
        chain: 0,
        body: JSON.stringify(shard),
        status: 'pending',
        emitted: 0,
        updatedMs,
      })),
    );
    let after: string | null = null;
    for (;;) {
      const open: readonly StoredShard[] = await store.openShards(appId, publishId, after, SHARDS_AT_ONCE);
      await this.#enqueueShards(open.map(shardOf));
      if (after === null && open.length === 0) await this.complete(appId, publishId);
      if (open.length < SHARDS_AT_ONCE) return;
      after = open.at(-1)?.shardId ?? null;
    }
  }

  async #enqueueShards(shards: readonly ShardJob[]): Promise<void> {
    await this.outbox.hand(
      shards.map((shard) => ({
        stage: 'shards',
        key: `${shard.appId}:${shard.publishId}:${shard.shardId}-c${shard.chain}`,
        partitionKey: `${shard.appId}${shard.shardId}`,
        payload: { kind: 'shardJob', ...shard },
      })),
    );
  }

  /** The last device seen when the limit was reached; null: there are no more. */
  async #stream(
    { log }: Plan,
    target: Target,
    batcher: Batcher,
    part: { shardIndex: number; shardCount: number; cursor: string | null; limit: number },
  ): Promise<string | null> {
    const { appId, publishId } = log;
    if (target.type === 'recipient' || target.type === 'audience') {
      await batcher.add(reachedBy(target));
      return null;
    }
    return streamDevices({ store: this.parts.store, appId, publishId }, target, part, (reached) =>
      batcher.add(reached),
    );
  }

  #batcher(plan: Plan, prefix: string): Batcher {
    return new Batcher(this.parts, this.outbox, plan, prefix);
  }
}

/** Recipients named by a target itself; null: they must be read from the store. */
function reachedBy(target: Extract<Target, { type: 'recipient' | 'audience' }>): Reached;
function reachedBy(target: Target): Reached | null;
function reachedBy(target: Target): Reached | null {
  if (target.type === 'recipient') {
    const { recipient } = target;
    const provider = TRANSPORTS[recipient.transportType];
    const address = { tokenHash: tokenHash(recipient), recipient: JSON.stringify(recipient) };
    return { provider, ...address, deviceId: null, audience: null };
  }
  if (target.type !== 'audience') return null;
  const { provider, audience } = target;
  const expression = sha256(JSON.stringify(audience));
  return { provider, tokenHash: expression, deviceId: null, recipient: null, audience };
}

/** Whether planning came to its end for the first time. */
const isFirst = (before: StoredPublish | null): boolean => before?.planningComplete === false;

const shardOf = ({ body }: StoredShard): ShardJob => JSON.parse(body) as ShardJob;

import { byBytes } from '../model/compare.js';
import { checkSteps, isClaimHeld, releaseClaim, restartClaim, takeClaim, takeSteps } from '../model/steps.js';
import {
  isActive,
  type Admission,
  type Claim,
  type ClaimStep,
  type DeliveryEvent,
  type IdempotencyRow,
  type PublishChange,
  type PublishLog,
  type StoredDeadLetter,
  type StoredPublish,
  type StoredShard,
} from '../model/publishes.js';
import { type ClaimFilter, MAX_STEPS, type PublishStore, type SendLease } from '../port/publishes.js';
import { MemoryResources } from './resources.js';

export class MemoryPublishes extends MemoryResources implements PublishStore {
  readonly mostSteps = MAX_STEPS;

  async admit({ publish, log, idempotency, dueMs }: Admission): Promise<StoredPublish | null> {
    const { appId, publishId, createdMs } = publish;
    for (const { key } of idempotency) {
      const row = this.tables.idempotency.get(appId, key);
      const other = row === null || row.expiresMs <= createdMs ? null : row.publishId;
      const existing = other === null ? null : this.tables.publishes.get(appId, other);
      if (existing !== null) return existing;
    }
    const existing = this.tables.publishes.get(appId, publishId);
    if (existing !== null) return existing;
    this.tables.publishes.put(publish);
    if (log !== null) this.tables.logs.put(log);
    for (const row of idempotency) this.tables.idempotency.put({ ...row, appId });
    if (dueMs !== null) this.tables.scheduled.put({ appId, jobId: publishId, dueMs });
    return null;
  }

  async withdraw(appId: string, publishId: string): Promise<void> {
    const publish = this.tables.publishes.get(appId, publishId);
    if (publish?.state !== 'queued') return;
    this.tables.removePublish(publish);
    this.tables.idempotency.removeWhere((row) => row.appId === appId && row.publishId === publishId);
    this.tables.scheduled.removeWhere((row) => row.appId === appId && row.jobId === publishId);
  }

  async idempotency(appId: string, keys: readonly string[], nowMs: number): Promise<IdempotencyRow[]> {
    return keys
      .map((key) => this.tables.idempotency.get(appId, key))
      .filter((row) => row !== null && row.expiresMs > nowMs)
      .filter((row) => row !== null);
  }

  async publish(appId: string, publishId: string): Promise<StoredPublish | null> {
    return this.tables.publishes.get(appId, publishId);
  }

  async log(appId: string, publishId: string): Promise<PublishLog | null> {
    return this.tables.logs.get(appId, publishId);
  }

  async countActive(appId: string, nowMs: number, most: number): Promise<number> {
    return this.tables.publishes.filter(
      (row) => row.appId === appId && isActive(row) && !this.isWaiting(row, nowMs),
      most,
    ).length;
  }

  async changePublish(
    appId: string,
    publishId: string,
    steps: readonly ClaimStep[],
    decide: (publish: StoredPublish, taken: ReadonlySet<string>) => PublishChange | null,
  ): Promise<readonly Claim[] | null> {
    checkSteps(steps, this.mostSteps);
    const publish = this.tables.publishes.get(appId, publishId);
    if (publish === null) return null;
    const claims = this.tables.claimsOf(appId, publishId);
    const after = takeSteps(claims, steps, publish.updatedMs);
    const taken = new Set(after.keys());
    const change = decide(publish, taken);
    for (const [key, claim] of after) {
      claims.set(key, { ...claim, updatedMs: change?.publish.updatedMs ?? claim.updatedMs });
    }
    if (change !== null) {
      this.tables.publishes.put(change.publish);
      for (const event of change.events ?? []) this.tables.addEvent(event);
      for (const row of change.deadLetters ?? []) this.tables.deadLetters.add(row);
    }
    return steps.map(({ deliveryKey }) => claims.get(deliveryKey)).filter((claim) => claim !== undefined);
  }

  async plan(appId: string, publishId: string, claims: readonly Claim[]): Promise<ReadonlySet<string>> {
    const known = this.tables.claimsOf(appId, publishId);
    for (const claim of claims) {
      if (!known.has(claim.deliveryKey)) known.set(claim.deliveryKey, { ...claim, owner: null });
    }
    const keys = claims.map(({ deliveryKey }) => deliveryKey);
    return new Set(keys.filter((key) => known.get(key)?.state === 'planned'));
  }

  async countClaims(appId: string, publishId: string): Promise<number> {
    return this.tables.claimsOf(appId, publishId).size;
  }

  async takeForSending(
    appId: string,
    publishId: string,
    jobs: readonly { readonly deliveryKey: string; readonly attempt: number }[],
    lease: SendLease,
  ): Promise<ReadonlySet<string>> {
    const claims = this.tables.claimsOf(appId, publishId);
    const taken = new Set<string>();
    for (const { deliveryKey, attempt } of jobs) {
      const claim = claims.get(deliveryKey);
      const next = claim === undefined ? null : takeClaim(claim, attempt, lease);
      if (next === null) continue;
      claims.set(deliveryKey, next);
      taken.add(deliveryKey);
    }
    return taken;
  }

  async isBeingSent(
    appId: string,
    publishId: string,
    jobs: readonly { readonly deliveryKey: string; readonly attempt: number }[],
    nowMs: number,
  ): Promise<boolean> {
    const claims = this.tables.claimsOf(appId, publishId);
    return jobs.some(({ deliveryKey, attempt }) => {
      const claim = claims.get(deliveryKey);
      return claim !== undefined && isClaimHeld(claim, attempt, nowMs);
    });
  }

  async giveBack(
    appId: string,
    publishId: string,
    keys: readonly string[],
    owner: string,
    nowMs: number,
  ): Promise<void> {
    const claims = this.tables.claimsOf(appId, publishId);
    for (const key of keys) {
      const claim = claims.get(key);
      const next = claim === undefined ? null : releaseClaim(claim, owner, nowMs);
      if (next !== null) claims.set(key, next);
    }
  }

  async claimsLike(
    appId: string,
    publishId: string,
    { provider, deviceId, batchId }: ClaimFilter,
    limit: number,
  ): Promise<Claim[]> {
    return [...this.tables.claimsOf(appId, publishId).values()]
      .filter(
        (claim) =>
          claim.provider === provider &&
          (deviceId === undefined || claim.deviceId === deviceId) &&
          (batchId === undefined || claim.batchId === batchId),
      )
      .sort((one, other) => rank(one) - rank(other) || byBytes(one.deliveryKey, other.deliveryKey))
      .slice(0, limit);
  }

  async claim(appId: string, publishId: string, deliveryKey: string): Promise<Claim | null> {
    return this.tables.claimsOf(appId, publishId).get(deliveryKey) ?? null;
  }

  async openClaims(appId: string, publishId: string, after: string | null, limit: number): Promise<Claim[]> {
    return [...this.tables.claimsOf(appId, publishId).values()]
      .filter(({ state, deliveryKey }) => state !== 'done' && (after === null || deliveryKey > after))
      .sort((one, other) => byBytes(one.deliveryKey, other.deliveryKey))
      .slice(0, limit);
  }

  async putShards(shards: readonly StoredShard[]): Promise<void> {
    for (const shard of shards) this.tables.shards.add(shard);
  }

  async shard(appId: string, publishId: string, shardId: string): Promise<StoredShard | null> {
    return this.tables.shards.get(appId, publishId, shardId);
  }

  async changeShard(shard: StoredShard): Promise<void> {
    this.tables.shards.put(shard);
  }

  async openShards(
    appId: string,
    publishId: string,
    after: string | null,
    limit: number,
  ): Promise<StoredShard[]> {
    return this.tables.shards.page(
      (row) => row.appId === appId && row.publishId === publishId && row.status !== 'complete',
      ({ shardId }) => [shardId],
      after === null ? null : [after],
      limit,
    );
  }

  async hasEvent(appId: string, publishId: string, eventId: string): Promise<boolean> {
    return this.tables.events.get(appId, publishId, eventId) !== null;
  }

  async putEvent(event: DeliveryEvent): Promise<boolean> {
    return this.tables.addEvent(event);
  }

  async countEvents(appId: string, fromMs: number, toMs: number) {
    const counts = new Map<string, { provider: string; outcome: string; count: number }>();
    for (const row of this.tables.events.values()) {
      if (row.appId !== appId || row.occurredMs < fromMs || row.occurredMs >= toMs) continue;
      const { provider, outcome } = row;
      const name = JSON.stringify([provider, outcome]);
      const count = (counts.get(name)?.count ?? 0) + 1;
      counts.set(name, { provider, outcome, count });
    }
    return [...counts.values()].sort((one, other) =>
      byBytes(`${one.provider} ${one.outcome}`, `${other.provider} ${other.outcome}`),
    );
  }

  async putDeadLetter(row: StoredDeadLetter): Promise<void> {
    this.tables.deadLetters.add(row);
  }

  async deadLetter(appId: string, deadLetterId: string): Promise<StoredDeadLetter | null> {
    return this.tables.deadLetters.get(appId, deadLetterId);
  }

  async deadLetters(
    appId: string,
    filter: { readonly provider?: string; readonly sinceMs?: number; readonly untilMs?: number },
    after: readonly [number, string] | null,
    limit: number,
  ): Promise<StoredDeadLetter[]> {
    const { provider, sinceMs = -Infinity, untilMs = Infinity } = filter;
    return this.tables.deadLetters.page(
      (row) =>
        row.appId === appId &&
        (provider === undefined || row.provider === provider) &&
        row.occurredMs >= sinceMs &&
        row.occurredMs <= untilMs,
      (row) => [row.occurredMs, row.deadLetterId],
      after,
      limit,
    );
  }

  async countDeadLetters(most: number): Promise<number> {
    return this.tables.deadLetters.filter(waiting, most).length;
  }

  async replay(
    { appId, deadLetterId, publishId }: StoredDeadLetter,
    deliveryKey: string | null,
    nowMs: number,
    decide: (publish: StoredPublish) => StoredPublish,
  ): Promise<boolean> {
    const row = this.tables.deadLetters.get(appId, deadLetterId);
    if (row === null || row.replayedMs !== null) return false;
    this.tables.deadLetters.put({ ...row, replayedMs: nowMs, replayCount: row.replayCount + 1 });
    const claims = this.tables.claimsOf(appId, publishId);
    const claim = deliveryKey === null ? undefined : claims.get(deliveryKey);
    if (claim !== undefined) {
      claims.set(claim.deliveryKey, restartClaim(claim, nowMs));
    }
    const publish = this.tables.publishes.get(appId, publishId);
    if (publish !== null) this.tables.publishes.put(decide(publish));
    return true;
  }

  protected isWaiting({ appId, publishId }: StoredPublish, nowMs: number): boolean {
    return (this.tables.logs.get(appId, publishId)?.notBeforeMs ?? 0) > nowMs;
  }
}

const waiting = ({ replayedMs, item }: StoredDeadLetter): boolean => replayedMs === null && item !== null;
const rank = ({ state }: Claim): number => (state === 'done' ? 1 : 0);

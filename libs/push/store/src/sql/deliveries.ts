import type { SqlScalar } from '@carillon/database';
import { checkSteps, takeStep } from '../model/steps.js';
import {
  ACTIVE_STATES,
  type Admission,
  type Claim,
  type ClaimStep,
  type IdempotencyRow,
  type PublishChange,
  type PublishLog,
  type StoredPublish,
} from '../model/publishes.js';
import { type ClaimFilter, MAX_STEPS, type SendLease } from '../port/publishes.js';
import { claimKey, keyRow } from './idempotency.js';
import { publishOf, publishRow } from './publish-row.js';
import { SqlResources } from './resources.js';
import { type Change, changeRowsOfKeys, rowsOfKeys } from './keyed.js';
import type { Statements } from './session.js';
import type { Table } from './table.js';
import { CLAIMS, DEAD_LETTERS, EVENTS, IDEMPOTENCY, LOGS, PUBLISHES, SCHEDULED, SHARDS } from './tables.js';

const ACTIVE = `('${ACTIVE_STATES.join("', '")}')`;
export const OF_PUBLISH = 'where app_id = ? and publish_id = ?';

/** Publishes and their deliveries. */
export class SqlDeliveries extends SqlResources {
  readonly mostSteps = MAX_STEPS;

  async admit({ publish, log, idempotency, dueMs }: Admission): Promise<StoredPublish | null> {
    const { appId, publishId, createdMs } = publish;
    return this.sql.step(async (one) => {
      for (const row of idempotency) {
        const other = await claimKey(one, { ...row, appId }, createdMs);
        const existing = other === null ? null : await findPublish(one, appId, other);
        if (existing !== null) return existing;
        if (other !== null) await one.put(IDEMPOTENCY, keyRow(appId, row));
      }
      if ((await one.add(PUBLISHES, [publishRow(publish)])) === 0) return findPublish(one, appId, publishId);
      if (log !== null) await one.add(LOGS, [log]);
      if (dueMs !== null) await one.add(SCHEDULED, [{ appId, jobId: publishId, dueMs }]);
      return null;
    });
  }

  async withdraw(appId: string, publishId: string): Promise<void> {
    await this.sql.step(async (one) => {
      const found = await findPublish(one, appId, publishId, ' for update');
      if (found?.state !== 'queued') return;
      for (const { name } of [LOGS, SHARDS, CLAIMS, IDEMPOTENCY, PUBLISHES]) {
        await one.run(`delete from ${name} ${OF_PUBLISH}`, [appId, publishId]);
      }
      await one.run(`delete from ${SCHEDULED.name} where app_id = ? and job_id = ?`, [appId, publishId]);
    });
  }

  async idempotency(appId: string, keys: readonly string[], nowMs: number): Promise<IdempotencyRow[]> {
    const when = { text: 'kept.expires_ms > ?', values: [nowMs] };
    const rows = await this.sql.now((one) => rowsOfKeys(one, IDEMPOTENCY, { of: [appId], keys }, when));
    return rows.map(({ itemKey: key, publishId, bodyHash, expiresMs }) => ({
      key,
      publishId,
      bodyHash,
      expiresMs,
    }));
  }

  async publish(appId: string, publishId: string): Promise<StoredPublish | null> {
    return this.sql.now((one) => findPublish(one, appId, publishId));
  }

  async log(appId: string, publishId: string): Promise<PublishLog | null> {
    return this.sql.now((one) => one.row(LOGS, OF_PUBLISH, [appId, publishId]));
  }

  async countActive(appId: string, nowMs: number, most: number): Promise<number> {
    const inner = `select 1 as one from ${PUBLISHES.name} p left join ${LOGS.name} l
      on l.app_id = p.app_id and l.publish_id = p.publish_id
      where p.app_id = ? and p.state in ${ACTIVE} and (l.not_before_ms is null or l.not_before_ms <= ?) limit ${most}`;
    return this.count(inner, [appId, nowMs]);
  }

  async changePublish(
    appId: string,
    publishId: string,
    steps: readonly ClaimStep[],
    decide: (publish: StoredPublish, taken: ReadonlySet<string>) => PublishChange | null,
  ): Promise<readonly Claim[] | null> {
    checkSteps(steps, this.mostSteps);
    return this.sql.step(async (one) => {
      // The row of the publish is the lock of everything about it.
      const publish = await findPublish(one, appId, publishId, ' for update');
      if (publish === null) return null;
      const keys = steps.map(({ deliveryKey }) => deliveryKey);
      const claims = new Map(
        (await claimsOf(one, appId, publishId, keys)).map((one) => [one.deliveryKey, one]),
      );
      const taken = new Set<string>();
      for (const step of steps) {
        const claim = claims.get(step.deliveryKey);
        const next = claim === undefined ? null : takeStep(claim, step, publish.updatedMs);
        if (next === null) continue;
        claims.set(step.deliveryKey, next);
        taken.add(step.deliveryKey);
      }
      const change = decide(publish, taken);
      const updatedMs = change?.publish.updatedMs ?? publish.updatedMs;
      const after = [...claims.values()].map((claim) =>
        taken.has(claim.deliveryKey) ? { ...claim, updatedMs } : claim,
      );
      const stepped = after.filter(({ deliveryKey }) => taken.has(deliveryKey));
      await one.putAll(CLAIMS, stepped, STEP_COLUMNS);
      if (change !== null) {
        await one.put(PUBLISHES, publishRow(change.publish));
        await one.add(EVENTS, change.events ?? []);
        await one.add(DEAD_LETTERS, change.deadLetters ?? []);
      }
      return after;
    });
  }

  async plan(appId: string, publishId: string, claims: readonly Claim[]): Promise<ReadonlySet<string>> {
    const keys = claims.map(({ deliveryKey }) => deliveryKey);
    return this.sql.now(async (one) => {
      // In the order of the key, so that two planners of one publish do not wait for each other in a circle.
      const sorted = claims.toSorted((left, right) => (left.deliveryKey < right.deliveryKey ? -1 : 1));
      if ((await one.add(CLAIMS, sorted)) === claims.length) return new Set(keys);
      const known = await claimsOf(one, appId, publishId, keys);
      return new Set(known.filter(({ state }) => state === 'planned').map(({ deliveryKey }) => deliveryKey));
    });
  }

  async countClaims(appId: string, publishId: string): Promise<number> {
    return this.count(`select 1 as one from ${CLAIMS.name} ${OF_PUBLISH}`, [appId, publishId]);
  }

  async takeForSending(
    appId: string,
    publishId: string,
    jobs: readonly { readonly deliveryKey: string; readonly attempt: number }[],
    { owner, nowMs, untilMs, lapsedMs = nowMs }: SendLease,
  ): Promise<ReadonlySet<string>> {
    const taken = new Set<string>();
    // Each attempt is a step of its own.
    for (const attempt of new Set(jobs.map((job) => job.attempt))) {
      const keys = jobs.filter((job) => job.attempt === attempt).map(({ deliveryKey }) => deliveryKey);
      const some = await this.#changeClaims(appId, publishId, keys, {
        set: `state = 'sending', lease_owner = ?, lease_until_ms = ?,
          first_attempt_ms = coalesce(kept.first_attempt_ms, ?), updated_ms = ?`,
        values: [owner, untilMs, nowMs, nowMs],
        when: {
          text: `kept.attempt = ?
            and (kept.state in ('planned', 'retry') or (kept.state = 'sending' and kept.lease_until_ms <= ?))`,
          values: [attempt, lapsedMs],
        },
      });
      for (const key of some) taken.add(key);
    }
    return taken;
  }

  async isBeingSent(
    appId: string,
    publishId: string,
    jobs: readonly { readonly deliveryKey: string; readonly attempt: number }[],
    nowMs: number,
  ): Promise<boolean> {
    const attempts = new Map(jobs.map(({ deliveryKey, attempt }) => [deliveryKey, attempt]));
    const when = { text: "kept.state = 'sending' and kept.lease_until_ms > ?", values: [nowMs] };
    const rows = await this.sql.now((one) =>
      rowsOfKeys(one, CLAIMS, { of: [appId, publishId], keys: [...attempts.keys()] }, when),
    );
    return rows.some(({ deliveryKey, attempt }) => attempts.get(deliveryKey) === attempt);
  }

  async giveBack(
    appId: string,
    publishId: string,
    keys: readonly string[],
    owner: string,
    nowMs: number,
  ): Promise<void> {
    await this.#changeClaims(appId, publishId, keys, {
      set: `state = case when kept.attempt = 1 then 'planned' else 'retry' end,
        first_attempt_ms = case when kept.attempt = 1 then null else kept.first_attempt_ms end,
        lease_owner = null, lease_until_ms = null, updated_ms = ?`,
      values: [nowMs],
      when: { text: "kept.state = 'sending' and kept.lease_owner = ?", values: [owner] },
    });
  }

  async touchClaims(appId: string, publishId: string, keys: readonly string[], nowMs: number): Promise<void> {
    const change = { set: 'updated_ms = ?', values: [nowMs], when: { text: 'true', values: [] } };
    await this.#changeClaims(appId, publishId, keys, change);
  }

  #changeClaims(
    appId: string,
    publishId: string,
    keys: readonly string[],
    change: Change,
  ): Promise<ReadonlySet<string>> {
    return this.sql.changed((one) =>
      changeRowsOfKeys(one, CLAIMS as Table<never>, { of: [appId, publishId], keys }, change),
    );
  }

  async claimsLike(
    appId: string,
    publishId: string,
    { provider, deviceId, batchId }: ClaimFilter,
    limit: number,
  ): Promise<Claim[]> {
    const asked: [string, string][] = [['provider = ?', provider]];
    if (deviceId !== undefined) asked.push(['device_id = ?', deviceId]);
    if (batchId !== undefined) asked.push(['batch_id = ?', batchId]);
    const rest = `${OF_PUBLISH} and ${asked.map(([clause]) => clause).join(' and ')}
      order by case when state = 'done' then 1 else 0 end, delivery_key limit ${limit}`;
    const values = asked.map(([, value]) => value);
    return this.sql.now((one) => one.rows(CLAIMS, rest, [appId, publishId, ...values]));
  }

  async claim(appId: string, publishId: string, deliveryKey: string): Promise<Claim | null> {
    const rest = `${OF_PUBLISH} and delivery_key = ?`;
    return this.sql.now((one) => one.row(CLAIMS, rest, [appId, publishId, deliveryKey]));
  }

  async openClaims(appId: string, publishId: string, after: string | null, limit: number): Promise<Claim[]> {
    const rest = `${OF_PUBLISH} and delivery_key > ? and state <> 'done' order by delivery_key limit ${limit}`;
    return this.sql.now((one) => one.rows(CLAIMS, rest, [appId, publishId, after ?? '']));
  }

  protected async count(inner: string, values: readonly SqlScalar[]): Promise<number> {
    const { rows } = await this.sql.now((one) =>
      one.run(`select count(*) as n from (${inner}) counted`, values),
    );
    return Number(rows[0]?.['n'] ?? 0);
  }
}

export async function findPublish(
  one: Statements,
  appId: string,
  publishId: string,
  lock = '',
): Promise<StoredPublish | null> {
  const row = await one.row(PUBLISHES, `${OF_PUBLISH}${lock}`, [appId, publishId]);
  return row === null ? null : publishOf(row);
}

const claimsOf = (
  one: Statements,
  appId: string,
  publishId: string,
  keys: readonly string[],
): Promise<Claim[]> => rowsOfKeys(one, CLAIMS, { of: [appId, publishId], keys });

/** Columns of a claim that a step changes. */
const STEP_COLUMNS = ['state', 'attempt', 'outcome', 'lease_owner', 'lease_until_ms', 'updated_ms'] as const;

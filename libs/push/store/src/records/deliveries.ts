import {
  type Claim,
  type ClaimStep,
  isActive,
  type PublishChange,
  type StoredPublish,
} from '../model/publishes.js';
import {
  checkSteps,
  isClaimHeld,
  type OwnedClaim,
  releaseClaim,
  restartClaim,
  takeClaim,
  takeSteps,
} from '../model/steps.js';
import type { ClaimFilter, SendLease } from '../port/publishes.js';
import { RecordAccepted } from './accepted.js';
import type { Draft } from './draft.js';
import { chunks, groupBy } from './group-by.js';
import { behind, partsOf } from './keys.js';
import { COUNT_ROWS, PUBLISH } from './layout.js';
import {
  activeEntry,
  deadLetterKey,
  hourOf,
  listChanged,
  listDeadLetters,
  listEvents,
  unlistActive,
} from './publish-index.js';
import {
  claimOf,
  claimValue,
  type Head,
  headOf,
  headValue,
  idleSinceMs,
  minuteOf,
  opens,
  publicClaim,
} from './values.js';

const PAGE = 1000;
/** Rows of a commit beside those of its steps. */
const HEAD_ROWS = 4;
/** Rows of one step: its claim, its event, its dead letter. */
const STEP_ROWS = 3;

type Job = { readonly deliveryKey: string; readonly attempt: number };

/** Deliveries, in the partition of their publish: one commit a step. */
export class RecordDeliveries extends RecordAccepted {
  get mostSteps(): number {
    return Math.floor((this.parts.partitions.mostRows - HEAD_ROWS) / STEP_ROWS);
  }

  async changePublish(
    appId: string,
    publishId: string,
    steps: readonly ClaimStep[],
    decide: (publish: StoredPublish, taken: ReadonlySet<string>) => PublishChange | null,
  ): Promise<readonly Claim[] | null> {
    checkSteps(steps, this.mostSteps);
    const keys = [...new Set(steps.map(({ deliveryKey }) => deliveryKey))];
    const partition = PUBLISH.partition(appId, publishId);
    const outcome = await this.parts.partitions.step(partition, async (draft) => {
      let ended: Head | null = null;
      const values = await draft.read([PUBLISH.head, ...keys.map((key) => PUBLISH.claim(key))]);
      const value = values.get(PUBLISH.head);
      if (value === undefined) return null;
      const head = headOf(value);
      const claims = claimsIn(values, appId, publishId, keys);
      const stepped = takeSteps(claims, steps, head.publish.updatedMs);
      const change = decide(head.publish, new Set(stepped.keys()));
      const updatedMs = change?.publish.updatedMs ?? head.publish.updatedMs;
      const next = new Map([...stepped].map(([key, claim]) => [key, { ...claim, updatedMs }]));
      await this.#putClaims(draft, claims, [...next.values()]);
      if (change !== null) {
        const eventHour = await this.#putEffects(draft, head.eventHour, change);
        const changed = { ...head, publish: change.publish, eventHour };
        await listChanged(this.parts, head, changed);
        draft.put(PUBLISH.head, headValue(changed));
        if (isActive(head.publish) && !isActive(change.publish)) ended = head;
      }
      const after = keys
        .map((key) => next.get(key) ?? claims.get(key))
        .filter((claim) => claim !== undefined);
      return { after, ended };
    });
    if (outcome === null) return null;
    if (outcome.ended !== null) await unlistActive(this.parts, appId, [activeEntry(outcome.ended)]);
    return outcome.after.map(publicClaim);
  }

  /** Adds events and dead letters that do not exist; resolves with the last hour whose events are listed. */
  async #putEffects(
    draft: Draft,
    listedHour: number | null,
    { events = [], deadLetters = [] }: PublishChange,
  ): Promise<number | null> {
    const foreign = deadLetters.find(
      (row) => deadLetterKey(row.appId, row.publishId, '').partition !== draft.partition,
    );
    if (foreign !== undefined) {
      throw new RangeError(
        `dead letter "${foreign.deadLetterId}" belongs to another publish than the change`,
      );
    }
    const rows = new Map([
      ...events.map((event) => [PUBLISH.event(event.eventId), JSON.stringify(event)] as const),
      ...deadLetters.map((row) => [PUBLISH.deadLetter(row.deadLetterId), JSON.stringify(row)] as const),
    ]);
    if (rows.size === 0) return listedHour;
    const existing = await draft.read([...rows.keys()]);
    for (const [sort, value] of rows) if (!existing.has(sort)) draft.put(sort, value);
    const fresh = deadLetters.filter((row) => !existing.has(PUBLISH.deadLetter(row.deadLetterId)));
    await listDeadLetters(this.parts, fresh);
    const unlisted = events.filter(({ occurredMs }) => hourOf(occurredMs) !== listedHour);
    await listEvents(this.parts, unlisted);
    const last = events.at(-1);
    return last === undefined ? listedHour : hourOf(last.occurredMs);
  }

  async plan(appId: string, publishId: string, claims: readonly Claim[]): Promise<ReadonlySet<string>> {
    const { partitions } = this.parts;
    const partition = PUBLISH.partition(appId, publishId);
    const planned = new Set<string>();
    const unique = [...new Map(claims.map((claim) => [claim.deliveryKey, claim])).values()];
    for (const some of chunks(unique, partitions.mostRows - 1)) {
      const keys = some.map(({ deliveryKey }) => deliveryKey);
      const ours = await partitions.step(partition, async (draft, tries) => {
        const count = PUBLISH.count(Math.floor(Math.random() * COUNT_ROWS));
        const sorts = keys.map((key) => PUBLISH.claim(key));
        // Most are new: they are looked at only when the first commit finds one.
        if (tries === 0) for (const sort of sorts) draft.assumeAbsent(sort);
        const values = await draft.read(tries === 0 ? [count] : [count, ...sorts]);
        const known = claimsIn(values, appId, publishId, keys);
        const fresh = some.filter(({ deliveryKey }) => !known.has(deliveryKey));
        await this.#putClaims(
          draft,
          known,
          fresh.map((claim) => ({ ...claim, owner: null })),
        );
        if (fresh.length > 0) draft.put(count, String(Number(values.get(count) ?? 0) + fresh.length));
        const all = new Map<string, Claim>([
          ...fresh.map((claim) => [claim.deliveryKey, claim] as const),
          ...known,
        ]);
        return keys.filter((key) => all.get(key)?.state === 'planned');
      });
      for (const key of ours) planned.add(key);
    }
    return planned;
  }

  async countClaims(appId: string, publishId: string): Promise<number> {
    const partition = PUBLISH.partition(appId, publishId);
    const sorts = Array.from({ length: COUNT_ROWS }, (_, index) => PUBLISH.count(index));
    const rows = await this.parts.rows.get(sorts.map((sort) => ({ partition, sort })));
    return rows.reduce((sum, { value }) => sum + Number(value), 0);
  }

  takeForSending(
    appId: string,
    publishId: string,
    jobs: readonly Job[],
    lease: SendLease,
  ): Promise<ReadonlySet<string>> {
    const attempts = groupBy(jobs, ({ deliveryKey }) => deliveryKey);
    return this.changeClaims(appId, publishId, [...attempts.keys()], (claim) => {
      for (const { attempt } of attempts.get(claim.deliveryKey) ?? []) {
        const taken = takeClaim(claim, attempt, lease);
        if (taken !== null) return taken;
      }
      return null;
    });
  }

  async isBeingSent(appId: string, publishId: string, jobs: readonly Job[], nowMs: number): Promise<boolean> {
    const partition = PUBLISH.partition(appId, publishId);
    const sorts = jobs.map(({ deliveryKey }) => PUBLISH.claim(deliveryKey));
    const rows = await this.parts.rows.all(sorts.map((sort) => ({ partition, sort })));
    return jobs.some(({ deliveryKey, attempt }, index) => {
      const row = rows[index] ?? null;
      return (
        row !== null && isClaimHeld(claimOf(row.value, { appId, publishId, deliveryKey }), attempt, nowMs)
      );
    });
  }

  async giveBack(
    appId: string,
    publishId: string,
    keys: readonly string[],
    owner: string,
    nowMs: number,
  ): Promise<void> {
    await this.changeClaims(appId, publishId, keys, (claim) => releaseClaim(claim, owner, nowMs));
  }

  async touchClaims(appId: string, publishId: string, keys: readonly string[], nowMs: number): Promise<void> {
    await this.changeClaims(appId, publishId, keys, (claim) => ({ ...claim, updatedMs: nowMs }));
  }

  async claimsLike(
    appId: string,
    publishId: string,
    { provider, deviceId, batchId }: ClaimFilter,
    limit: number,
  ): Promise<Claim[]> {
    const [open, done]: [Claim[], Claim[]] = [[], []];
    for await (const page of this.claimPages(appId, publishId)) {
      for (const claim of page) {
        const isWanted =
          claim.provider === provider &&
          (deviceId === undefined || claim.deviceId === deviceId) &&
          (batchId === undefined || claim.batchId === batchId);
        const list = claim.state === 'done' ? done : open;
        if (isWanted && list.length < limit) list.push(publicClaim(claim));
      }
      if (open.length >= limit) break;
    }
    return [...open, ...done].slice(0, limit);
  }

  async claim(appId: string, publishId: string, deliveryKey: string): Promise<Claim | null> {
    const row = await this.parts.rows.one(PUBLISH.partition(appId, publishId), PUBLISH.claim(deliveryKey));
    return row === null ? null : publicClaim(claimOf(row.value, { appId, publishId, deliveryKey }));
  }

  async openClaims(appId: string, publishId: string, after: string | null, limit: number): Promise<Claim[]> {
    const open: Claim[] = [];
    for await (const page of this.claimPages(appId, publishId, after)) {
      open.push(...page.filter(({ state }) => state !== 'done').map(publicClaim));
      if (open.length >= limit) break;
    }
    return open.slice(0, limit);
  }

  /** All claims of a publish by key. */
  protected async *claimPages(
    appId: string,
    publishId: string,
    after: string | null = null,
  ): AsyncGenerator<readonly OwnedClaim[]> {
    const partition = PUBLISH.partition(appId, publishId);
    const from = after === null ? PUBLISH.claims.from : behind(PUBLISH.claim(after));
    for await (const page of this.parts.rows.pages(partition, { ...PUBLISH.claims, from }, PAGE)) {
      yield page.map(({ sort, value }) =>
        claimOf(value, { appId, publishId, deliveryKey: partsOf(sort)[1] ?? '' }),
      );
    }
  }

  /** Changes claims individually, as many per commit as fit; resolves with the changed keys. */
  protected async changeClaims(
    appId: string,
    publishId: string,
    keys: readonly string[],
    change: (claim: OwnedClaim) => OwnedClaim | null,
  ): Promise<ReadonlySet<string>> {
    const { partitions } = this.parts;
    const partition = PUBLISH.partition(appId, publishId);
    const changed = new Set<string>();
    for (const some of chunks([...new Set(keys)], partitions.mostRows)) {
      const next = await partitions.step(partition, async (draft) => {
        const claims = await this.#readClaims(draft, appId, publishId, some);
        const after = [...claims.values()].map(change).filter((claim) => claim !== null);
        await this.#putClaims(draft, claims, after);
        return after;
      });
      for (const { deliveryKey } of next) changed.add(deliveryKey);
    }
    return changed;
  }

  /** Restarts the claim of a replayed dead letter. */
  protected async restartClaim(
    draft: Draft,
    { appId, publishId, deliveryKey }: Pick<Claim, 'appId' | 'publishId' | 'deliveryKey'>,
    nowMs: number,
  ): Promise<void> {
    const claims = await this.#readClaims(draft, appId, publishId, [deliveryKey]);
    const restarted = [...claims.values()].map((claim) => restartClaim(claim, nowMs));
    await this.#putClaims(draft, claims, restarted);
  }

  async #readClaims(
    draft: Draft,
    appId: string,
    publishId: string,
    keys: readonly string[],
  ): Promise<Map<string, OwnedClaim>> {
    const values = await draft.read(keys.map((key) => PUBLISH.claim(key)));
    return claimsIn(values, appId, publishId, keys);
  }

  /** Writes claims, and before that the index entry of their publish where one of them becomes open. */
  async #putClaims(
    draft: Draft,
    before: ReadonlyMap<string, Claim>,
    after: readonly OwnedClaim[],
  ): Promise<void> {
    let openMs = Infinity;
    for (const claim of after) {
      draft.put(PUBLISH.claim(claim.deliveryKey), claimValue(claim));
      if (opens(before.get(claim.deliveryKey) ?? null, claim)) openMs = Math.min(openMs, idleSinceMs(claim));
    }
    const [first] = after;
    if (first === undefined || openMs === Infinity) return;
    await this.parts.open.put([{ timeMs: minuteOf(openMs), id: [first.appId, first.publishId] }]);
  }
}

function claimsIn(
  values: ReadonlyMap<string, string>,
  appId: string,
  publishId: string,
  keys: readonly string[],
): Map<string, OwnedClaim> {
  const claims = new Map<string, OwnedClaim>();
  for (const deliveryKey of keys) {
    const value = values.get(PUBLISH.claim(deliveryKey));
    if (value !== undefined) claims.set(deliveryKey, claimOf(value, { appId, publishId, deliveryKey }));
  }
  return claims;
}

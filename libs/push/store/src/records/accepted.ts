import { pause } from '@carillon/runtime';
import {
  type Admission,
  type IdempotencyRow,
  isActive,
  type PublishLog,
  type StoredPublish,
} from '../model/publishes.js';
import { PushStoreUnavailable } from '../port/port.js';
import { Admissions, reservationOf } from './admission.js';
import { headKey, idempotencyKey, PUBLISH } from './layout.js';
import type { Parts } from './parts.js';
import { activeEntry, unlistActive } from './publish-index.js';
import { ALL } from './rows.js';
import { RecordResources } from './subscriptions.js';
import { type FoundEntry, until } from './time-index.js';
import { headOf, logOf } from './values.js';

/** Reads of a log whose parts become visible one by one. */
const LOG_TRIES = 10;
const LOG_AGAIN_MS = 20;
/** Assumed clock difference between processes. */
const CLOCKS_MS = 3_600_000;

/** Publishes as they were accepted. */
export class RecordAccepted extends RecordResources {
  readonly #admissions: Admissions;

  constructor(parts: Parts) {
    super(parts);
    this.#admissions = new Admissions(parts);
  }

  admit(admission: Admission): Promise<StoredPublish | null> {
    return this.#admissions.admit(admission);
  }

  async withdraw(appId: string, publishId: string): Promise<void> {
    const { partitions, rows, jobs, live } = this.parts;
    const partition = PUBLISH.partition(appId, publishId);
    const gone = await partitions.step(partition, async (draft) => {
      const value = await draft.readOne(PUBLISH.head);
      const head = value === null ? null : headOf(value);
      if (head?.publish.state !== 'queued') return null;
      // All in one commit: the same publish may be accepted again as soon as its row is deleted.
      const own = await rows.range(partition, ALL, partitions.mostRows - 1);
      const deleted = own.filter(({ sort }) => sort !== PUBLISH.fence && sort !== PUBLISH.head);
      draft.see(deleted);
      for (const { sort } of [{ sort: PUBLISH.head }, ...deleted]) draft.delete(sort);
      const job = deleted.find(({ sort }) => sort === PUBLISH.job);
      return { head, dueMs: job === undefined ? null : Number(job.value) };
    });
    if (gone === null) return;
    for (const key of gone.head.keys) {
      const at = idempotencyKey(appId, key);
      await partitions.step(at.partition, async (draft) => {
        const value = await draft.readOne(at.sort);
        if (value !== null && reservationOf(value).publishId === publishId) draft.delete(at.sort);
      });
    }
    const id = [appId, publishId];
    if (gone.dueMs !== null) await jobs.remove([{ timeMs: gone.dueMs, id }]);
    await live.remove([{ timeMs: gone.head.liveMs, id }]);
    await unlistActive(this.parts, appId, [activeEntry(gone.head)]);
  }

  async idempotency(appId: string, keys: readonly string[], nowMs: number): Promise<IdempotencyRow[]> {
    const { rows } = this.parts;
    const stored = (await rows.get(keys.map((key) => idempotencyKey(appId, key))))
      .map(({ value }) => reservationOf(value))
      .filter(({ expiresMs }) => expiresMs > nowMs);
    const heads = await rows.all(stored.map(({ publishId }) => headKey(appId, publishId ?? '')));
    // A reservation counts when its publish exists.
    return stored
      .filter(({ publishId }, index) => publishId === null || heads[index] !== null)
      .map(({ reservedMs: _reservedMs, attemptId: _attemptId, ...row }) => row);
  }

  async publish(appId: string, publishId: string): Promise<StoredPublish | null> {
    const { partition, sort } = headKey(appId, publishId);
    const row = await this.parts.rows.one(partition, sort);
    return row === null ? null : headOf(row.value).publish;
  }

  async log(appId: string, publishId: string): Promise<PublishLog | null> {
    const { rows, partitions } = this.parts;
    const partition = PUBLISH.partition(appId, publishId);
    for (let tries = 0; tries < LOG_TRIES; tries += 1) {
      const parts = await rows.range(partition, PUBLISH.logParts, partitions.mostRows);
      const log = logOf(parts.map(({ value }) => value));
      if (log !== null) return log;
      if (parts.length === 0) return null;
      // The publish is being written or removed at this moment.
      await pause(LOG_AGAIN_MS);
    }
    throw new PushStoreUnavailable(`the log of publish "${publishId}" is incomplete; try again`);
  }

  /** Below `most`, may count publishes whose process died when they ended. */
  async countActive(appId: string, nowMs: number, most: number): Promise<number> {
    let held: FoundEntry[] = [];
    let count = 0;
    // Those accepted by a process whose clock is ahead, too.
    const span = until(nowMs + CLOCKS_MS);
    for await (const page of this.parts.active.pages(span, appId)) {
      held.push(...page.filter(({ note }) => Number(note) <= nowMs));
      if (count + held.length < most) continue;
      count += await this.#verifyActive(appId, held);
      held = [];
      if (count >= most) return most;
    }
    return Math.min(most, count + held.length);
  }

  async #verifyActive(appId: string, entries: readonly FoundEntry[]): Promise<number> {
    const heads = await this.parts.rows.all(entries.map(({ id: [id = ''] }) => headKey(appId, id)));
    const ofActive = entries.filter((_, index) => {
      const row = heads[index] ?? null;
      return row !== null && isActive(headOf(row.value).publish);
    });
    const stale = entries.filter((entry) => entry.isSettled && !ofActive.includes(entry));
    await unlistActive(this.parts, appId, stale);
    return new Set(ofActive.map(({ id }) => id[0])).size;
  }
}

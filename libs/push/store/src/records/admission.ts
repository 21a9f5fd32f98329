import { randomUUID } from 'node:crypto';
import { pause } from '@carillon/runtime';
import type { Admission, IdempotencyRow, StoredPublish } from '../model/publishes.js';
import { byBytes } from '../model/compare.js';
import { PushStoreUnavailable } from '../port/port.js';
import { Draft } from './draft.js';
import { headKey, idempotencyKey, PUBLISH } from './layout.js';
import type { Parts } from './parts.js';
import { listAdmitted } from './publish-index.js';
import { type Head, headOf, headValue, logParts } from './values.js';

/** Tries of one admission whose keys other processes reserve at the same time. */
const MAX_TRIES = 8;
/** Time for which a reservation without a publish is respected: longer than an admission takes. */
const RESERVED_MS = 1500;
const LOOK_AGAIN_MS = 20;
const FENCED_MS = 86_400_000;
/** Rows are kept this much longer: clocks of callers and of the store may differ. */
const GRACE_MS = 3_600_000;
/** Bytes of a commit that are left for the publish and its keys beside its log. */
const HEAD_BYTES = 100_000;
/** Rows of a commit that are left for the same. */
const HEAD_ROWS = 5;

/** A reserved idempotency key. */
export interface Reservation extends IdempotencyRow {
  /** When it was reserved, by the clock of the process that did. */
  readonly reservedMs: number;
  /** Attempt that made the reservation. */
  readonly attemptId: string;
}

type Attempted = Omit<Reservation, 'reservedMs'>;

export const reservationOf = (value: string): Reservation => JSON.parse(value) as Reservation;

/**
 * Accepts publishes. Keys and publish are in different partitions, so each key is reserved first: it points to the publish, and
 * counts only if that exists. The commit of the publish decides. An admission that meets a reservation without a publish waits
 * for that; after a while it fences the other publish, which can then no longer be accepted with its old reservations, and
 * takes the key over.
 */
export class Admissions {
  constructor(private readonly parts: Parts) {}

  async admit(admission: Admission): Promise<StoredPublish | null> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      if (tries > 0) await pause(Math.random() * LOOK_AGAIN_MS * 2 ** tries);
      const outcome = await this.#try(admission);
      if (outcome !== 'repeat') return outcome;
    }
    throw contended();
  }

  async #try(admission: Admission): Promise<StoredPublish | null | 'repeat'> {
    const { appId, publishId } = admission.publish;
    const existing = await this.#existing(admission);
    if (existing !== null) return existing;
    const { partition } = headKey(appId, publishId);
    const fence = await this.parts.rows.one(partition, PUBLISH.fence);
    const { createdMs, updatedMs } = admission.publish;
    const notBeforeMs = admission.log?.notBeforeMs ?? null;
    const head: Head = {
      publish: admission.publish,
      notBeforeMs,
      liveMs: updatedMs,
      activeMs: notBeforeMs !== null && notBeforeMs > createdMs ? notBeforeMs : updatedMs,
      keys: admission.idempotency.map(({ key }) => key),
      eventHour: null,
    };
    await listAdmitted(this.parts, head);
    if (admission.dueMs !== null) {
      await this.parts.jobs.put([{ timeMs: admission.dueMs, id: [appId, publishId] }]);
    }
    // In one order, so that two admissions do not wait for each other in a circle.
    const rows = admission.idempotency.toSorted((one, other) => byBytes(one.key, other.key));
    const attemptId = randomUUID();
    for (const row of rows) {
      const holder = await this.#reserve(appId, { ...row, attemptId }, admission.publish);
      if (holder === null) continue;
      await this.#release(appId, publishId, rows.slice(0, rows.indexOf(row)), attemptId);
      return holder;
    }
    const draft = new Draft(this.parts.rows, partition);
    draft.assumeAbsent(PUBLISH.head);
    if (fence === null) draft.assumeAbsent(PUBLISH.fence);
    else {
      draft.see([fence]);
      draft.delete(PUBLISH.fence);
    }
    this.#write(draft, admission, head);
    return (await this.parts.rows.commit(draft.commit())) ? null : 'repeat';
  }

  #write(draft: Draft, { publish, log, dueMs }: Admission, head: Head): void {
    const { valueBytes, bytes, rows } = this.parts.rows.records.limits;
    draft.put(PUBLISH.head, headValue(head));
    if (dueMs !== null) draft.put(PUBLISH.job, JSON.stringify(dueMs));
    if (log === null) return;
    const parts = logParts(log, valueBytes);
    const size = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
    if (size > bytes - HEAD_BYTES || parts.length > rows - HEAD_ROWS) {
      throw new RangeError(
        `the publish "${publish.publishId}" has ${size} bytes of targets and payload; this storage driver accepts ${bytes - HEAD_BYTES}: send it in several publishes`,
      );
    }
    for (const [index, part] of parts.entries()) draft.put(PUBLISH.logPart(index), part);
  }

  /** The publish that has one of the keys, in their order, or else the id. */
  async #existing({ publish, idempotency }: Admission): Promise<StoredPublish | null> {
    const { appId, publishId, createdMs } = publish;
    const { rows } = this.parts;
    const stored = await rows.all(idempotency.map(({ key }) => idempotencyKey(appId, key)));
    const holders = stored.map((row) =>
      row === null ? null : holderOf(reservationOf(row.value), createdMs),
    );
    const ids = [...holders.filter((id) => id !== null), publishId];
    const heads = await rows.all(ids.map((id) => headKey(appId, id)));
    const first = heads.find((row) => row !== null) ?? null;
    return first === null ? null : headOf(first.value).publish;
  }

  /** Null: the key points to the publish now. Else it belongs to the resolved one. */
  async #reserve(
    appId: string,
    row: Attempted,
    { publishId, createdMs }: StoredPublish,
  ): Promise<StoredPublish | null> {
    let holder: Reservation | null = await this.#put(appId, row, createdMs, publishId, null);
    for (let tries = 0; holder !== null && holder.publishId !== null; tries += 1) {
      if (tries >= MAX_TRIES) throw contended();
      const outcome = await this.#awaitPublish(appId, holder, holder.publishId);
      if (outcome !== 'lapsed' && outcome !== 'changed') return outcome;
      const lapsed = outcome === 'lapsed' ? holder.publishId : null;
      holder = await this.#put(appId, row, createdMs, publishId, lapsed);
    }
    return null;
  }

  /** Writes the reservation unless another publish than `lapsed` holds the key; resolves with that one. */
  async #put(
    appId: string,
    row: Attempted,
    nowMs: number,
    own: string,
    lapsed: string | null,
  ): Promise<Reservation | null> {
    const { partition, sort } = idempotencyKey(appId, row.key);
    return this.parts.partitions.step(partition, async (draft) => {
      const value = await draft.readOne(sort);
      const stored = value === null ? null : reservationOf(value);
      const holder = stored === null ? null : holderOf(stored, nowMs);
      if (holder !== null && holder !== own && holder !== lapsed) return stored;
      const reservedMs = Date.now();
      const next: Reservation = { ...row, reservedMs };
      draft.put(sort, JSON.stringify(next), expiryOf(row.expiresMs - nowMs));
      return null;
    });
  }

  /** The publish of a reservation. `lapsed`: it never gets one. `changed`: the key was released or taken over. */
  async #awaitPublish(
    appId: string,
    reservation: Reservation,
    publishId: string,
  ): Promise<StoredPublish | 'changed' | 'lapsed'> {
    const ageMs = Math.max(0, Date.now() - reservation.reservedMs);
    const untilMs = Date.now() + Math.max(0, RESERVED_MS - ageMs);
    const keys = [headKey(appId, publishId), idempotencyKey(appId, reservation.key)];
    for (;;) {
      const [head = null, held = null] = await this.parts.rows.all(keys);
      if (head !== null) return headOf(head.value).publish;
      if (held === null || reservationOf(held.value).attemptId !== reservation.attemptId) return 'changed';
      if (Date.now() >= untilMs) break;
      await pause(LOOK_AGAIN_MS * (0.5 + Math.random()));
    }
    return (await this.#fence(appId, publishId)) ?? 'lapsed';
  }

  /** Voids the reservations of a publish that was not accepted. Resolves with the publish if it was. */
  #fence(appId: string, publishId: string): Promise<StoredPublish | null> {
    const { partition, sort } = headKey(appId, publishId);
    return this.parts.partitions.step(partition, async (draft) => {
      const values = await draft.read([sort, PUBLISH.fence]);
      const value = values.get(sort);
      if (value !== undefined) return headOf(value).publish;
      draft.put(PUBLISH.fence, '', Date.now() + FENCED_MS);
      return null;
    });
  }

  /** Deletes the reservations of a failed attempt, so that later admissions do not wait for it. */
  async #release(
    appId: string,
    publishId: string,
    rows: readonly IdempotencyRow[],
    attemptId: string,
  ): Promise<void> {
    // Another attempt of the same publish may depend on them; once fenced, it reserves them again.
    if (rows.length === 0 || (await this.#fence(appId, publishId)) !== null) return;
    for (const { key } of rows) {
      const { partition, sort } = idempotencyKey(appId, key);
      await this.parts.partitions.step(partition, async (draft) => {
        const value = await draft.readOne(sort);
        if (value !== null && reservationOf(value).attemptId === attemptId) draft.delete(sort);
      });
    }
  }
}

/** The publish that a key belongs to at a time; null: none. */
const holderOf = ({ expiresMs, publishId }: Reservation, nowMs: number): string | null =>
  expiresMs > nowMs ? publishId : null;

/** When the store may delete a row that counts for this long from now on. */
export const expiryOf = (lifeMs: number): number => Date.now() + Math.max(0, lifeMs) + GRACE_MS;

const contended = (): PushStoreUnavailable =>
  new PushStoreUnavailable(
    `other admissions reserved the same idempotency keys in each of ${MAX_TRIES} attempts; try again`,
  );

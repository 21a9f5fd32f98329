import type { Row } from '@carillon/records';
import { type DeliveryEvent, isActive, type StoredDeadLetter } from '../model/publishes.js';
import type { PurgeCategory } from '../port/upkeep.js';
import { deviceOf } from './device-rows.js';
import { readIndexed } from './indexed.js';
import { keyOf } from './keys.js';
import { deviceKey, INDEX, PUBLISH } from './layout.js';
import { deadLetterKey, deadLetterNote, replayableEntry } from './publish-index.js';
import { ALL } from './rows.js';
import { operatorEventKey } from './settings.js';
import { before, type FoundEntry } from './time-index.js';
import { headKeyOf, RecordForgotten } from './upkeep.js';
import { headOf } from './values.js';

const PAGE = 1000;
const HOUR_MS = 3_600_000;

/** Removes old rows. Keys, locks and workers expire on their own. */
export class RecordPurge extends RecordForgotten {
  async purge(category: PurgeCategory, beforeMs: number, limit: number): Promise<number> {
    // The others expire in the store.
    // oxlint-disable-next-line typescript/switch-exhaustiveness-check
    switch (category) {
      case 'publishes':
        return this.#purgePublishes(beforeMs, limit);
      case 'deliveryEvents':
        return this.#purgeEvents(beforeMs, limit);
      case 'operatorEvents':
        return this.#purgeOperatorEvents(beforeMs, limit);
      case 'deadLetters':
        return this.#purgeDeadLetters(beforeMs, limit);
      default:
        return 0;
    }
  }

  async removeStaleDevices(beforeMs: number, limit: number): Promise<ReadonlyMap<string, number>> {
    const found = await readIndexed<readonly [string, string]>(this.parts.rows, this.parts.failed, {
      span: before(beforeMs),
      limit,
      keyOf: ({ id: [appId = '', deviceId = ''] }) => deviceKey(appId, deviceId),
      judge: (row, { timeMs, id }) => {
        const device = row === null ? null : deviceOf(row.value);
        if (device === null || device.state !== 'FAILED') return { to: null };
        const { appId, deviceId, lastActiveMs } = device;
        const place = lastActiveMs > timeMs ? { to: { timeMs: lastActiveMs, id } } : {};
        return lastActiveMs < beforeMs ? { ...place, value: [appId, deviceId] } : place;
      },
    });
    const gone = new Map<string, number>();
    for (const [appId, deviceId] of found) {
      const removed = await this.removeDevice(
        appId,
        deviceId,
        ({ state, lastActiveMs }) => state === 'FAILED' && lastActiveMs < beforeMs,
      );
      if (removed) gone.set(appId, (gone.get(appId) ?? 0) + 1);
    }
    return gone;
  }

  async #purgePublishes(beforeMs: number, limit: number): Promise<number> {
    const { rows, over } = this.parts;
    const found = await readIndexed<readonly [Row, FoundEntry]>(rows, over, {
      span: before(beforeMs),
      limit,
      keyOf: headKeyOf,
      judge: (row, entry) => {
        const publish = row === null ? null : headOf(row.value).publish;
        if (row === null || publish === null || isActive(publish)) return { to: null };
        const { updatedMs } = publish;
        if (updatedMs > entry.timeMs) {
          const to = { timeMs: updatedMs, id: entry.id };
          return updatedMs < beforeMs ? { to, value: [row, { ...entry, ...to }] } : { to };
        }
        return { value: [row, entry] };
      },
    });
    let purged = 0;
    for (const [head, entry] of found) {
      if (!(await this.#purgePublish(head))) continue;
      purged += 1;
      await over.remove([entry]);
    }
    return purged;
  }

  /** The publish row last, so that an interrupted purge resumes. False: it was changed meanwhile. */
  async #purgePublish(head: Row): Promise<boolean> {
    const { rows, partitions, live } = this.parts;
    const { partition } = head;
    for await (const page of rows.pages(partition, ALL, PAGE)) {
      const gone = page.filter((row) => !isKept(row));
      if (!(await partitions.deleteSeen(partition, gone, head))) return false;
    }
    const { publish, liveMs } = headOf(head.value);
    await live.remove([{ timeMs: liveMs, id: [publish.appId, publish.publishId] }]);
    return partitions.deleteSeen(partition, [head]);
  }

  async #purgeEvents(beforeMs: number, limit: number): Promise<number> {
    const { events } = this.parts;
    let purged = 0;
    for await (const entries of events.pages(before(beforeMs))) {
      for (const entry of entries) {
        const [appId = '', publishId = ''] = entry.id;
        purged += await this.#purgeEventsOf(appId, publishId, beforeMs, limit - purged);
        if (purged >= limit) return purged;
        const isWholeHour = entry.timeMs + HOUR_MS <= beforeMs;
        if (!isWholeHour || !entry.isSettled) continue;
        await events.remove([entry]);
        await events.remove([entry], appId);
      }
    }
    return purged;
  }

  async #purgeEventsOf(appId: string, publishId: string, beforeMs: number, limit: number): Promise<number> {
    const { rows, partitions } = this.parts;
    const partition = PUBLISH.partition(appId, publishId);
    let purged = 0;
    for await (const page of rows.pages(partition, PUBLISH.events, PAGE)) {
      const old = page.filter(({ value }) => (JSON.parse(value) as DeliveryEvent).occurredMs < beforeMs);
      purged += await partitions.deleteRows(partition, old.slice(0, limit - purged));
      if (purged >= limit) break;
    }
    return purged;
  }

  async #purgeOperatorEvents(beforeMs: number, limit: number): Promise<number> {
    const { rows, partitions, operatorEvents } = this.parts;
    const found = await readIndexed<readonly [Row, FoundEntry]>(rows, operatorEvents, {
      span: before(beforeMs),
      limit,
      keyOf: ({ note }) => operatorEventKey(note),
      judge: (row, entry) => (row === null ? { to: null } : { value: [row, entry] }),
    });
    let purged = 0;
    for (const [row] of found) purged += await partitions.deleteRows(row.partition, [row]);
    await operatorEvents.remove(found.map(([, entry]) => entry));
    return purged;
  }

  async #purgeDeadLetters(beforeMs: number, limit: number): Promise<number> {
    const { rows, partitions, deadLetters, replayable } = this.parts;
    const found = await readIndexed<Row>(rows, deadLetters, {
      span: before(beforeMs),
      limit,
      keyOf: ({ id: [appId = '', deadLetterId = ''], note }) =>
        deadLetterKey(appId, deadLetterNote(note).publishId, deadLetterId),
      judge: (row, { timeMs }) =>
        row === null || (JSON.parse(row.value) as StoredDeadLetter).occurredMs !== timeMs
          ? { to: null }
          : { value: row },
    });
    let purged = 0;
    for (const row of found) {
      const letter = JSON.parse(row.value) as StoredDeadLetter;
      const { appId, deadLetterId, occurredMs: timeMs } = letter;
      purged += await partitions.deleteRows(row.partition, [row]);
      await deadLetters.remove([{ timeMs, id: [deadLetterId] }], appId);
      await replayable.remove([replayableEntry(letter)]);
      await rows.remove([{ partition: INDEX.deadLetter(appId, deadLetterId), sort: keyOf('p') }]);
      await deadLetters.remove([{ timeMs, id: [appId, deadLetterId] }]);
    }
    return purged;
  }
}

/** Rows of a publish that do not go with it: it is deleted last, and the others have a time of their own. */
const KEPT = [PUBLISH.head, PUBLISH.fence, PUBLISH.job, keyOf('d'), keyOf('e')];
const isKept = ({ sort }: Row): boolean => KEPT.some((prefix) => sort.startsWith(prefix));

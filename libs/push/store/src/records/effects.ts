import {
  type DeliveryEvent,
  type StoredDeadLetter,
  type StoredPublish,
  type StoredShard,
} from '../model/publishes.js';
import { byBytes } from '../model/compare.js';
import type { PublishStore } from '../port/publishes.js';
import { RecordDeliveries } from './deliveries.js';
import { chunks, groupBy } from './group-by.js';
import { behind, keyOf } from './keys.js';
import { INDEX, PUBLISH } from './layout.js';
import { readIndexed } from './indexed.js';
import { noteOf } from './pointers.js';
import {
  deadLetterKey,
  deadLetterNote,
  hourOf,
  listChanged,
  listDeadLetters,
  listEvents,
  replayableEntry,
} from './publish-index.js';
import { headOf, headValue } from './values.js';

const PAGE = 1000;
const HOUR_MS = 3_600_000;

/** Shards, events and dead letters, in the partition of their publish. */
export class RecordPublishes extends RecordDeliveries implements PublishStore {
  async putShards(shards: readonly StoredShard[]): Promise<void> {
    const { partitions } = this.parts;
    const byPublish = groupBy(shards, ({ appId, publishId }) => PUBLISH.partition(appId, publishId));
    for (const [partition, own] of byPublish) {
      for (const some of chunks(own, partitions.mostRows)) {
        await partitions.step(partition, async (draft) => {
          const existing = await draft.read(some.map(({ shardId }) => PUBLISH.shard(shardId)));
          for (const shard of some) {
            const sort = PUBLISH.shard(shard.shardId);
            if (!existing.has(sort)) draft.put(sort, JSON.stringify(shard));
          }
        });
      }
    }
  }

  async shard(appId: string, publishId: string, shardId: string): Promise<StoredShard | null> {
    const row = await this.parts.rows.one(PUBLISH.partition(appId, publishId), PUBLISH.shard(shardId));
    return row === null ? null : (JSON.parse(row.value) as StoredShard);
  }

  async changeShard(shard: StoredShard): Promise<void> {
    const sort = PUBLISH.shard(shard.shardId);
    await this.parts.partitions.step(PUBLISH.partition(shard.appId, shard.publishId), async (draft) => {
      await draft.readOne(sort);
      draft.put(sort, JSON.stringify(shard));
    });
  }

  async openShards(
    appId: string,
    publishId: string,
    after: string | null,
    limit: number,
  ): Promise<StoredShard[]> {
    const open: StoredShard[] = [];
    const from = after === null ? PUBLISH.shards.from : behind(PUBLISH.shard(after));
    const partition = PUBLISH.partition(appId, publishId);
    for await (const page of this.parts.rows.pages(partition, { ...PUBLISH.shards, from }, PAGE)) {
      const shards = page.map(({ value }) => JSON.parse(value) as StoredShard);
      open.push(...shards.filter(({ status }) => status !== 'complete'));
      if (open.length >= limit) break;
    }
    return open.slice(0, limit);
  }

  async hasEvent(appId: string, publishId: string, eventId: string): Promise<boolean> {
    const { rows } = this.parts;
    return (await rows.one(PUBLISH.partition(appId, publishId), PUBLISH.event(eventId))) !== null;
  }

  async putEvent(event: DeliveryEvent): Promise<boolean> {
    const sort = PUBLISH.event(event.eventId);
    return this.parts.partitions.step(PUBLISH.partition(event.appId, event.publishId), async (draft) => {
      if ((await draft.readOne(sort)) !== null) return false;
      await listEvents(this.parts, [event]);
      draft.put(sort, JSON.stringify(event));
      return true;
    });
  }

  async countEvents(appId: string, fromMs: number, toMs: number) {
    const counts = new Map<string, { provider: string; outcome: string; count: number }>();
    const seen = new Set<string>();
    const span = { fromMs: hourOf(fromMs) * HOUR_MS, toMs };
    for await (const entries of this.parts.events.pages(span, appId)) {
      for (const { id } of entries) {
        const [, publishId = ''] = id;
        if (seen.has(publishId)) continue;
        seen.add(publishId);
        for await (const event of this.eventsOf(appId, publishId)) {
          if (event.occurredMs < fromMs || event.occurredMs >= toMs) continue;
          const { provider, outcome } = event;
          const name = JSON.stringify([provider, outcome]);
          counts.set(name, { provider, outcome, count: (counts.get(name)?.count ?? 0) + 1 });
        }
      }
    }
    return [...counts.values()].sort(
      (one, other) => byBytes(one.provider, other.provider) || byBytes(one.outcome, other.outcome),
    );
  }

  protected async *eventsOf(appId: string, publishId: string): AsyncGenerator<DeliveryEvent> {
    const partition = PUBLISH.partition(appId, publishId);
    for await (const page of this.parts.rows.pages(partition, PUBLISH.events, PAGE)) {
      for (const { value } of page) yield JSON.parse(value) as DeliveryEvent;
    }
  }

  async putDeadLetter(row: StoredDeadLetter): Promise<void> {
    const { partition, sort } = deadLetterKey(row.appId, row.publishId, row.deadLetterId);
    await this.parts.partitions.step(partition, async (draft) => {
      if ((await draft.readOne(sort)) !== null) return;
      await listDeadLetters(this.parts, [row]);
      draft.put(sort, JSON.stringify(row));
    });
  }

  async deadLetter(appId: string, deadLetterId: string): Promise<StoredDeadLetter | null> {
    const { rows } = this.parts;
    const pointer = await rows.one(INDEX.deadLetter(appId, deadLetterId), keyOf('p'));
    if (pointer === null) return null;
    const { partition, sort } = deadLetterKey(appId, noteOf(pointer), deadLetterId);
    const row = await rows.one(partition, sort);
    return row === null ? null : (JSON.parse(row.value) as StoredDeadLetter);
  }

  async deadLetters(
    appId: string,
    filter: { readonly provider?: string; readonly sinceMs?: number; readonly untilMs?: number },
    after: readonly [number, string] | null,
    limit: number,
  ): Promise<StoredDeadLetter[]> {
    const { provider, sinceMs = null, untilMs } = filter;
    return readIndexed<StoredDeadLetter>(this.parts.rows, this.parts.deadLetters, {
      span: { fromMs: sinceMs, toMs: untilMs === undefined ? null : untilMs + 1 },
      scope: appId,
      after: after === null ? null : { timeMs: after[0], id: [after[1]] },
      limit,
      keyOf: ({ id, note }) => deadLetterKey(appId, deadLetterNote(note).publishId, id[0] ?? ''),
      judge: (row, { timeMs }) => {
        const letter = row === null ? null : (JSON.parse(row.value) as StoredDeadLetter);
        // Another letter of the id was first.
        if (letter === null || letter.occurredMs !== timeMs) return { to: null };
        return provider === undefined || letter.provider === provider ? { value: letter } : {};
      },
    });
  }

  /** May count some whose process died before it marked them. */
  countDeadLetters(most: number): Promise<number> {
    return this.parts.replayable.count({ fromMs: null, toMs: null }, most);
  }

  async replay(
    row: StoredDeadLetter,
    deliveryKey: string | null,
    nowMs: number,
    decide: (publish: StoredPublish) => StoredPublish,
  ): Promise<boolean> {
    const { appId, publishId, deadLetterId } = row;
    const { partition, sort } = deadLetterKey(appId, publishId, deadLetterId);
    const done = await this.parts.partitions.step(partition, async (draft) => {
      const values = await draft.read([PUBLISH.head, sort]);
      const [stored, head] = [values.get(sort), values.get(PUBLISH.head)];
      const letter = stored === undefined ? null : (JSON.parse(stored) as StoredDeadLetter);
      if (letter === null || letter.replayedMs !== null) return false;
      draft.put(sort, JSON.stringify({ ...letter, replayedMs: nowMs, replayCount: letter.replayCount + 1 }));
      if (deliveryKey !== null) await this.restartClaim(draft, { appId, publishId, deliveryKey }, nowMs);
      if (head === undefined) return true;
      const before = headOf(head);
      const after = { ...before, publish: decide(before.publish) };
      await listChanged(this.parts, before, after);
      draft.put(PUBLISH.head, headValue(after));
      return true;
    });
    if (done) await this.parts.replayable.remove([replayableEntry(row)]);
    return done;
  }
}

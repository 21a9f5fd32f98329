import type { SqlScalar } from '@carillon/database';
import type { DeliveryEvent, StoredDeadLetter, StoredPublish, StoredShard } from '../model/publishes.js';
import type { PublishStore } from '../port/publishes.js';
import { findPublish, OF_PUBLISH, SqlDeliveries } from './deliveries.js';
import { publishRow } from './publish-row.js';
import { textOf } from './table.js';
import { CLAIMS, DEAD_LETTERS, EVENTS, PUBLISHES, SHARDS } from './tables.js';

/** Publishes with their shards, events and dead letters. */
export class SqlPublishes extends SqlDeliveries implements PublishStore {
  async putShards(shards: readonly StoredShard[]): Promise<void> {
    await this.sql.now((one) => one.add(SHARDS, shards));
  }

  async shard(appId: string, publishId: string, shardId: string): Promise<StoredShard | null> {
    return this.sql.now((one) =>
      one.row(SHARDS, `${OF_PUBLISH} and shard_id = ?`, [appId, publishId, shardId]),
    );
  }

  async changeShard(shard: StoredShard): Promise<void> {
    await this.sql.now((one) => one.put(SHARDS, shard));
  }

  async openShards(
    appId: string,
    publishId: string,
    after: string | null,
    limit: number,
  ): Promise<StoredShard[]> {
    const rest = `${OF_PUBLISH} and shard_id > ? and status <> 'complete' order by shard_id limit ${limit}`;
    return this.sql.now((one) => one.rows(SHARDS, rest, [appId, publishId, after ?? '']));
  }

  async hasEvent(appId: string, publishId: string, eventId: string): Promise<boolean> {
    const rest = `${OF_PUBLISH} and event_id = ?`;
    return (await this.sql.now((one) => one.row(EVENTS, rest, [appId, publishId, eventId]))) !== null;
  }

  async putEvent(event: DeliveryEvent): Promise<boolean> {
    return (await this.sql.now((one) => one.add(EVENTS, [event]))) === 1;
  }

  async countEvents(appId: string, fromMs: number, toMs: number) {
    const text = `select provider, outcome, count(*) as events from ${EVENTS.name}
      where app_id = ? and occurred_ms >= ? and occurred_ms < ? group by provider, outcome order by provider, outcome`;
    const { rows } = await this.sql.now((one) => one.run(text, [appId, fromMs, toMs]));
    return rows.map((row) => ({
      provider: textOf(row['provider']),
      outcome: textOf(row['outcome']),
      count: Number(row['events']),
    }));
  }

  async putDeadLetter(row: StoredDeadLetter): Promise<void> {
    await this.sql.now((one) => one.add(DEAD_LETTERS, [row]));
  }

  async deadLetter(appId: string, deadLetterId: string): Promise<StoredDeadLetter | null> {
    const rest = 'where app_id = ? and dead_letter_id = ?';
    return this.sql.now((one) => one.row(DEAD_LETTERS, rest, [appId, deadLetterId]));
  }

  async deadLetters(
    appId: string,
    {
      provider,
      sinceMs,
      untilMs,
    }: { readonly provider?: string; readonly sinceMs?: number; readonly untilMs?: number },
    after: readonly [number, string] | null,
    limit: number,
  ): Promise<StoredDeadLetter[]> {
    const asked: [string, readonly SqlScalar[]][] = [['app_id = ?', [appId]]];
    if (provider !== undefined) asked.push(['provider = ?', [provider]]);
    if (sinceMs !== undefined) asked.push(['occurred_ms >= ?', [sinceMs]]);
    if (untilMs !== undefined) asked.push(['occurred_ms <= ?', [untilMs]]);
    if (after !== null) asked.push(['(occurred_ms, dead_letter_id) > (?, ?)', after]);
    const rest = `where ${asked.map(([clause]) => clause).join(' and ')}
      order by occurred_ms, dead_letter_id limit ${limit}`;
    return this.sql.now((one) =>
      one.rows(
        DEAD_LETTERS,
        rest,
        asked.flatMap(([, values]) => values),
      ),
    );
  }

  async countDeadLetters(most: number): Promise<number> {
    return this.count(
      `select 1 as one from ${DEAD_LETTERS.name} where replayed_ms is null and item is not null limit ${most}`,
      [],
    );
  }

  async replay(
    { appId, deadLetterId, publishId }: StoredDeadLetter,
    deliveryKey: string | null,
    nowMs: number,
    decide: (publish: StoredPublish) => StoredPublish,
  ): Promise<boolean> {
    return this.sql.step(async (one) => {
      const publish = await findPublish(one, appId, publishId, ' for update');
      const { changed } = await one.run(
        `update ${DEAD_LETTERS.name} set replayed_ms = ?, replay_count = replay_count + 1
         where app_id = ? and dead_letter_id = ? and replayed_ms is null`,
        [nowMs, appId, deadLetterId],
      );
      if (changed === 0) return false;
      if (deliveryKey !== null) {
        await one.run(
          `update ${CLAIMS.name} set state = 'planned', attempt = 1, outcome = null, lease_owner = null,
           lease_until_ms = null, first_attempt_ms = null, updated_ms = ? ${OF_PUBLISH} and delivery_key = ?`,
          [nowMs, appId, publishId, deliveryKey],
        );
      }
      if (publish !== null) await one.put(PUBLISHES, publishRow(decide(publish)));
      return true;
    });
  }
}

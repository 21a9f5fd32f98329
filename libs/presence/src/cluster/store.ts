import type { RedisScript } from '@carillon/redis';
import { PresenceUnavailable } from '../failures.js';
import { LeaseLapsed } from './failures.js';
import { type Keys, type ShardName, shardNamed, shardTag } from './keys.js';
import {
  type Answer,
  type Operation,
  operationFields,
  readAnswer,
  readPage,
  type Page,
  type Subjects,
} from './operation.js';
import { type OwedEntry, owedEntry, owedField } from './owed-entry.js';
import { list, pairs, text, whole } from './replies.js';
import { APPLY, BEAT, CLAIM, LOOK, NOTE, REAP, RECALL, STRIKE_OFF } from './scripts.js';

/** Connection to the store. A call resolves or rejects in a bounded time. */
export interface StoreLink {
  /** Grows whenever a server may have taken the place of another. */
  readonly generation: number;
  call(command: string, ...args: readonly (number | string)[]): Promise<unknown>;
  /** Reason why the server cannot serve; null if healthy. Never rejects. */
  health(): Promise<string | null>;
  close(): void;
}

/** Write permission of a node: writes that arrive after its end have no effect. */
export interface Licence {
  readonly nodeId: string;
  /** On the clock of the store. */
  readonly untilMs: number;
}

/** A lease as it was renewed. */
export interface Renewal {
  /** On the clock of the store. */
  readonly untilMs: number;
  /** Time for which some node always had a lease; short after an outage of the store, or if it is new. */
  readonly watchedMs: number;
}

export interface Batch {
  /** Grows with every batch of this process. */
  readonly number: number;
  readonly operations: readonly Operation[];
  readonly wantsSubjects: boolean;
}

/** A dead node whose holdings in a shard are removed, with the claim on it. */
export interface Reaping {
  readonly shard: ShardName;
  readonly dead: string;
  readonly claim: Licence;
  /** Whether removals are recorded as unreported changes. */
  readonly owes: boolean;
}

const INDEX_PAGE = 200;
const OWED_PAGE = 500;
/** Time to reconnect after an outage of the store: the longest reconnect delay and a margin. */
export const RETURN_MS = 6000;
/** Assumed clock difference between servers of a cluster. */
const MARGIN_MS = 1000;

/** Operations of the shared store, one call per method. Rejects with `LeaseLapsed` or the error of the connection. */
export class ClusterStore {
  constructor(
    private readonly link: StoreLink,
    private readonly keys: Keys,
    /** Milliseconds to add to the clock of the store; for tests that cannot wait. */
    private readonly aheadMs: () => number,
  ) {}

  get generation(): number {
    return this.link.generation;
  }

  /** Null: the node is taken for dead, or forgotten. */
  async beat(nodeId: string, leaseMs: number, isFirst: boolean): Promise<Renewal | null> {
    const reply = await this.#run(BEAT, this.keys.registry, nodeId, leaseMs, isFirst ? 1 : 0);
    if (reply === null) return null;
    const [untilMs, watchedMs] = list(reply);
    return { untilMs: whole(untilMs), watchedMs: whole(watchedMs) };
  }

  /** A dead node to clear up after, or this very one again; null: none that is free. */
  async claim(
    nodeId: string,
    claimMs: number,
    { dead = '', leftOut = [] }: { readonly dead?: string; readonly leftOut?: Iterable<string> } = {},
  ): Promise<{ dead: string; claim: Licence } | null> {
    const reply = await this.#run(
      CLAIM,
      this.keys.registry,
      nodeId,
      claimMs,
      MARGIN_MS,
      RETURN_MS,
      dead,
      ...leftOut,
    );
    if (reply === null) return null;
    const [found, untilMs] = list(reply);
    return { dead: text(found), claim: { nodeId, untilMs: whole(untilMs) } };
  }

  async strikeOff(nodeId: string, dead: string): Promise<void> {
    await this.#run(STRIKE_OFF, this.keys.registry, nodeId, dead);
  }

  /** The node is dead from now on. `isKnown`: only if it is among the nodes; else only if it is not. */
  async leave(nodeId: string, isKnown: boolean): Promise<void> {
    await this.link.call('zadd', this.keys.registry[0], isKnown ? 'xx' : 'nx', 0, nodeId);
  }

  /** The node holds nothing and is forgotten. */
  async forget(nodeId: string): Promise<void> {
    await this.link.call('zrem', this.keys.registry[0], nodeId);
  }

  async note({ nodeId, untilMs }: Licence, shards: readonly ShardName[]): Promise<void> {
    await this.#run(NOTE, [this.keys.index(nodeId)], untilMs, ...shards.map(shardTag));
  }

  /** Registers shards in which a dead node may have holdings, whether or not the store knows of them. */
  async noteDead(nodeId: string, shards: readonly ShardName[]): Promise<void> {
    await this.link.call('sadd', this.keys.index(nodeId), ...shards.map(shardTag));
  }

  async unnote(nodeId: string, shards: readonly ShardName[]): Promise<void> {
    await this.link.call('srem', this.keys.index(nodeId), ...shards.map(shardTag));
  }

  /** Returns a page of the shards in which the node may have holdings, and the next cursor; null: last page. */
  async noted(nodeId: string, cursor: string): Promise<{ shards: ShardName[]; cursor: string | null }> {
    const reply = await this.link.call('sscan', this.keys.index(nodeId), cursor, 'count', INDEX_PAGE);
    const [next, tags] = list(reply);
    const shards = list(tags).map((tag) => shardNamed(text(tag)));
    return { shards: shards.filter((name) => name !== null), cursor: next === '0' ? null : text(next) };
  }

  async countNoted(nodeId: string): Promise<number> {
    return whole(await this.link.call('scard', this.keys.index(nodeId)));
  }

  /** `owes`: whether subjects that are added or removed are recorded as owed by the node. */
  async apply(shard: ShardName, { nodeId, untilMs }: Licence, batch: Batch, owes: boolean): Promise<Answer> {
    const keys = this.keys.shard(shardTag(shard), nodeId);
    const { number, operations, wantsSubjects } = batch;
    const fields = operations.flatMap(operationFields);
    const flags = [wantsSubjects ? 1 : 0, owes ? 1 : 0];
    return readAnswer(await this.#run(APPLY, keys, nodeId, untilMs, number, ...flags, ...fields));
  }

  /** Returns the result of a batch without an answer; null: it was not executed and never will be. */
  async recall(shard: ShardName, nodeId: string, batch: Batch): Promise<Answer | null> {
    const last = this.keys.shard(shardTag(shard), nodeId)[2];
    const reply = await this.#run(RECALL, [last], batch.number);
    return reply === null ? null : readAnswer(reply);
  }

  async reap({ shard, dead, claim, owes }: Reaping, cursor: string, isConfirmed: boolean): Promise<Page> {
    const keys = this.keys.shard(shardTag(shard), dead);
    const flags = [isConfirmed ? 1 : 0, dead, owes ? 1 : 0];
    return readPage(await this.#run(REAP, keys, claim.untilMs, cursor, ...flags));
  }

  /** Returns a page of the unreported changes of a node in a shard, and the next cursor; null: last page. */
  async owed(
    shard: ShardName,
    nodeId: string,
    cursor: string,
  ): Promise<{ entries: OwedEntry[]; cursor: string | null }> {
    const [next, fields] = list(
      await this.link.call('hscan', this.#owedKey(shard, nodeId), cursor, 'count', OWED_PAGE),
    );
    const entries = pairs(fields).flatMap(([field]) => owedEntry(field) ?? []);
    return { entries, cursor: next === '0' ? null : text(next) };
  }

  async settle(shard: ShardName, nodeId: string, entries: readonly OwedEntry[]): Promise<void> {
    await this.link.call('hdel', this.#owedKey(shard, nodeId), ...entries.map(owedField));
  }

  #owedKey(shard: ShardName, nodeId: string): string {
    return this.keys.shard(shardTag(shard), nodeId)[3];
  }

  /** Returns the holdings of the node by subject; 0: kept by a lease. */
  async held(shard: ShardName, nodeId: string): Promise<ReadonlyMap<string, number>> {
    const reply = await this.link.call('hgetall', this.keys.shard(shardTag(shard), nodeId)[1]);
    return new Map(pairs(reply).map(([subject, count]) => [subject, whole(count)]));
  }

  /** Every subject and its record. */
  async subjects(shard: ShardName): Promise<unknown> {
    return this.link.call('hgetall', this.keys.subjects(shardTag(shard)));
  }

  /** Returns the records of subjects; null for unknown ones. */
  async records(shard: ShardName, subjects: readonly string[]): Promise<readonly (string | null)[]> {
    if (subjects.length === 0) return [];
    const reply = await this.link.call('hmget', this.keys.subjects(shardTag(shard)), ...subjects);
    return list(reply).map((record) => (record === null ? null : text(record)));
  }

  /** Some subjects, or every one, with their records. */
  async look(shard: ShardName, subjects: readonly string[] | null): Promise<Subjects> {
    // An empty list must not select everything.
    if (subjects?.length === 0) return { reply: [], serial: 0 };
    const keys = [this.keys.subjects(shardTag(shard))];
    const [serial, reply] = list(await this.#run(LOOK, keys, ...(subjects ?? [])));
    return { reply, serial: whole(serial) };
  }

  async size(shard: ShardName): Promise<number> {
    return whole(await this.link.call('hlen', this.keys.subjects(shardTag(shard))));
  }

  health(): Promise<string | null> {
    return this.link.health();
  }

  close(): void {
    this.link.close();
  }

  async #run(
    { lua, sha1 }: RedisScript,
    keys: readonly string[],
    ...args: readonly (number | string)[]
  ): Promise<unknown> {
    const rest = [keys.length, ...keys, this.aheadMs(), ...args];
    const reply = await this.link.call('evalsha', sha1, ...rest).catch((error: unknown) => {
      if (error instanceof Error && error.message.startsWith('NOSCRIPT')) {
        return this.link.call('eval', lua, ...rest);
      }
      throw error;
    });
    if (reply === 'late') throw new LeaseLapsed();
    return reply;
  }
}

/** Any failure of the store, as callers know it. */
export const unavailable = (error: unknown): PresenceUnavailable =>
  error instanceof PresenceUnavailable ? error : new PresenceUnavailable(error);

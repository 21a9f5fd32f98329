import { createHash } from 'node:crypto';
import type {
  ChannelCount,
  ChannelCountChange,
  ChannelCountObserver,
  ChannelCounts,
} from '../../channel-counts.js';
import { inGroups } from '../../cluster/in-groups.js';
import { type ShardName, shardTag } from '../../cluster/keys.js';
import type { Ledger, ShardKeeper } from '../../cluster/ledger.js';
import { readRecord, readSubjects, type Reaped } from '../../cluster/operation.js';
import { unavailable } from '../../cluster/store.js';
import type { OwedEntry } from '../../cluster/owed-entry.js';
import type { Owed, Owing } from '../../port.js';
import { ChannelBucket } from './channel-bucket.js';

/** Number of hash slots for the channels of an app. Must be equal in all processes. */
const BUCKETS = 16;

const bucketNamed = (appId: string, bucket: number): ShardName => ({
  kind: 'subscriptions',
  appId,
  name: `${bucket}`,
});

const bucketOf = (appId: string, channel: string): ShardName =>
  bucketNamed(appId, (createHash('sha1').update(channel).digest()[0] ?? 0) % BUCKETS);

/** Drivers `redis` and `redis-cluster`: the counts of all processes, in the shared store. */
export class RedisChannelCounts implements ChannelCounts, ShardKeeper {
  readonly #buckets = new Map<string, ChannelBucket>();
  #observer: ChannelCountObserver = () => undefined;
  #owing: Owing | null = null;

  constructor(
    private readonly ledger: Ledger,
    private readonly onObserverFault: (error: unknown, change: ChannelCountChange) => void,
  ) {
    ledger.keep('subscriptions', this);
  }

  observe(observer: ChannelCountObserver, owing?: Owing): void {
    this.#observer = observer;
    this.#owing = owing ?? null;
  }

  async set(appId: string, channel: string, connections: number): Promise<number> {
    return this.#bucket(bucketOf(appId, channel)).set(channel, connections);
  }

  async counts(appId: string, channels: readonly string[]): Promise<readonly number[]> {
    try {
      const records = await inGroups(channels, (channel) =>
        this.ledger.store.records(bucketOf(appId, channel), [channel]),
      );
      return records.map(([record]) => (typeof record === 'string' ? (readRecord(record)?.total ?? 0) : 0));
    } catch (error) {
      throw unavailable(error);
    }
  }

  async look(appId: string, channels: readonly string[]): Promise<readonly ChannelCount[]> {
    try {
      return await inGroups(channels, async (channel) => {
        const { reply, serial } = await this.ledger.store.look(bucketOf(appId, channel), [channel]);
        const [found] = readSubjects(reply);
        return { count: found?.[1].total ?? 0, serial };
      });
    } catch (error) {
      throw unavailable(error);
    }
  }

  async occupied(appId: string, prefix: string): Promise<ReadonlyMap<string, number>> {
    try {
      const buckets = await Promise.all(
        Array.from({ length: BUCKETS }, (_, bucket) =>
          this.ledger.store.subjects(bucketNamed(appId, bucket)),
        ),
      );
      const all = buckets.flatMap(readSubjects).map(([channel, { total }]) => [channel, total] as const);
      return new Map(all.filter(([channel, total]) => total > 0 && channel.startsWith(prefix)));
    } catch (error) {
      throw unavailable(error);
    }
  }

  known(name: ShardName): void {
    this.#bucket(name);
  }

  forgotten(name: ShardName): void {
    this.#buckets.delete(shardTag(name));
  }

  reaped({ appId }: ShardName, changes: readonly Reaped[]): void {
    for (const { subject: channel, outcome, total: count, serial, owed } of changes) {
      const kind = outcome === 'removed' ? 'vacated' : 'counted';
      this.#tell({ kind, appId, channel, count, serial, ...(owed && { owed }) });
    }
  }

  isOwed({ appId }: ShardName): boolean {
    return this.#owing?.isOwed(appId, null) === true;
  }

  owed({ appId }: ShardName, { outcome: kind, subject: channel, serial }: OwedEntry, owed: Owed): void {
    this.#owing?.recovered({ kind, appId, channel, userId: null, serial, owed });
  }

  #bucket(name: ShardName): ChannelBucket {
    const tag = shardTag(name);
    const known = this.#buckets.get(tag);
    if (known !== undefined) return known;
    const bucket: ChannelBucket = new ChannelBucket(
      name.appId,
      this.ledger,
      () => this.ledger.shard(name, bucket),
      (change) => this.#tell(change),
    );
    this.#buckets.set(tag, bucket);
    this.ledger.shard(name, bucket);
    return bucket;
  }

  #tell(change: ChannelCountChange): void {
    try {
      this.#observer(change);
    } catch (error) {
      this.onObserverFault(error, change);
    }
  }
}

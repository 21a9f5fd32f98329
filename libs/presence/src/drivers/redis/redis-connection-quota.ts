import { type ShardName, shardTag } from '../../cluster/keys.js';
import type { Ledger, ShardKeeper } from '../../cluster/ledger.js';
import type { ConnectionQuota } from '../../connection-quota.js';
import { AppConnections } from './app-connections.js';

const shardOf = (appId: string): ShardName => ({ kind: 'quota', appId, name: 'connections' });

/** Drivers `redis` and `redis-cluster`: the connections of all processes, in the shared store. */
export class RedisConnectionQuota implements ConnectionQuota, ShardKeeper {
  readonly #apps = new Map<string, AppConnections>();

  constructor(private readonly ledger: Ledger) {
    ledger.keep('quota', this);
  }

  async take(appId: string, limit: number): Promise<boolean> {
    return this.#app(shardOf(appId)).take(limit);
  }

  release(appId: string): void {
    this.#apps.get(shardTag(shardOf(appId)))?.release();
  }

  known(name: ShardName): void {
    this.#app(name);
  }

  forgotten(name: ShardName): void {
    this.#apps.delete(shardTag(name));
  }

  /** Quotas have no observer. */
  reaped(): void {}

  #app(name: ShardName): AppConnections {
    const tag = shardTag(name);
    const known = this.#apps.get(tag);
    if (known !== undefined) return known;
    const app: AppConnections = new AppConnections(() => this.ledger.shard(name, app));
    this.#apps.set(tag, app);
    this.ledger.shard(name, app);
    return app;
  }
}

import type {
  ChannelCount,
  ChannelCountChange,
  ChannelCountObserver,
  ChannelCounts,
} from '../../channel-counts.js';
import type { ConnectionQuota } from '../../connection-quota.js';

/** The counts of a process that is alone. */
export class MemoryChannelCounts implements ChannelCounts {
  readonly #apps = new Map<string, Map<string, number>>();
  #observer: ChannelCountObserver = () => undefined;
  #serial = 0;

  constructor(private readonly onObserverFault: (error: unknown, change: ChannelCountChange) => void) {}

  observe(observer: ChannelCountObserver): void {
    this.#observer = observer;
  }

  async set(appId: string, channel: string, connections: number): Promise<number> {
    const channels = this.#apps.get(appId) ?? new Map<string, number>();
    const before = channels.get(channel) ?? 0;
    if (before === connections) return connections;
    if (connections === 0) channels.delete(channel);
    else channels.set(channel, connections);
    if (channels.size === 0) this.#apps.delete(appId);
    else this.#apps.set(appId, channels);
    const kind = before === 0 ? 'occupied' : connections === 0 ? 'vacated' : 'counted';
    this.#tell({ kind, appId, channel, count: connections, serial: (this.#serial += 1) });
    return connections;
  }

  async counts(appId: string, channels: readonly string[]): Promise<readonly number[]> {
    const counts = this.#apps.get(appId);
    return channels.map((channel) => counts?.get(channel) ?? 0);
  }

  async look(appId: string, channels: readonly string[]): Promise<readonly ChannelCount[]> {
    const serial = this.#serial;
    return (await this.counts(appId, channels)).map((count) => ({ count, serial }));
  }

  async occupied(appId: string, prefix: string): Promise<ReadonlyMap<string, number>> {
    return new Map([...(this.#apps.get(appId) ?? [])].filter(([channel]) => channel.startsWith(prefix)));
  }

  #tell(change: ChannelCountChange): void {
    try {
      this.#observer(change);
    } catch (error) {
      this.onObserverFault(error, change);
    }
  }
}

/** The connections of a process that is alone, or that counts its own only. */
export class MemoryConnectionQuota implements ConnectionQuota {
  readonly #connections = new Map<string, number>();

  async take(appId: string, limit: number): Promise<boolean> {
    const count = this.#connections.get(appId) ?? 0;
    if (count >= limit) return false;
    this.#connections.set(appId, count + 1);
    return true;
  }

  release(appId: string): void {
    const count = this.#connections.get(appId) ?? 0;
    if (count > 1) this.#connections.set(appId, count - 1);
    else this.#connections.delete(appId);
  }
}

import type { ChannelCountChange } from '../../channel-counts.js';
import { holding, type Operation, type Result } from '../../cluster/operation.js';
import type { Intent, Shard, ShardOwner } from '../../cluster/shard.js';
import { unavailable } from '../../cluster/store.js';

interface Waiter {
  readonly resolve: (count: number) => void;
  readonly reject: (error: Error) => void;
}

/** Some channels of an app, and how many connections of this process are subscribed to each. */
export class ChannelBucket implements ShardOwner {
  readonly #wanted = new Map<string, number>();
  /** What the store has of it, as it last said. */
  readonly #stored = new Map<string, number>();
  /** The last of a channel that waits: what is wanted meanwhile is what counts. */
  readonly #waiting = new Map<string, Setting>();
  /** Channels that somebody came to and left before the store heard of it, of which it is yet to hear. */
  readonly #passing = new Set<string>();

  constructor(
    private readonly appId: string,
    private readonly shard: () => Shard,
    private readonly tell: (change: ChannelCountChange) => void,
  ) {}

  set(channel: string, connections: number): Promise<number> {
    if (connections === 0) this.#keepPassing(channel);
    if (connections > 0) this.#wanted.set(channel, connections);
    else this.#wanted.delete(channel);
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(channel);
      const setting = waiting ?? this.#newSetting(channel);
      setting.waiters.push({ resolve, reject });
      if (waiting === undefined) {
        this.#waiting.set(channel, setting);
        this.shard().add(setting);
      } else if (this.shard().isStuck) {
        setting.failed(new Error('the store is away'));
      }
    });
  }

  get isEmpty(): boolean {
    return this.#wanted.size === 0;
  }

  held(): ReadonlyMap<string, number> {
    return this.#wanted;
  }

  correction(channel: string, stored: number | undefined): Intent | null {
    if (stored === undefined) this.#stored.delete(channel);
    else this.#stored.set(channel, stored);
    return this.#waiting.has(channel) ? null : this.#newSetting(channel);
  }

  /** A channel that was occupied for a moment is told to have been: what waits is not made up for by leaving. */
  #keepPassing(channel: string): void {
    const waiting = this.#waiting.get(channel);
    const wanted = this.#wanted.get(channel);
    const isNew = !this.#stored.has(channel) && !this.#passing.has(channel);
    if (waiting === undefined || wanted === undefined || !isNew) return;
    this.#passing.add(channel);
    this.#waiting.delete(channel);
    waiting.keepsTo(wanted);
  }

  #newSetting(channel: string): Setting {
    const setting: Setting = new Setting(
      channel,
      (kept) => {
        if (this.#waiting.get(channel) === setting) this.#waiting.delete(channel);
        if (kept !== null) this.#passing.delete(channel);
        return kept ?? this.#wanted.get(channel) ?? 0;
      },
      (result) => this.#changed(channel, result),
    );
    return setting;
  }

  #changed(channel: string, { outcome, total: count, count: own, serial }: Result): void {
    const before = this.#stored.get(channel) ?? 0;
    if (own > 0) this.#stored.set(channel, own);
    else this.#stored.delete(channel);
    if (own === before && outcome === 'unchanged') return;
    // None are left, also when it is the store that lost them.
    const kind = count === 0 ? 'vacated' : outcome === 'added' ? 'occupied' : 'counted';
    this.tell({ kind, appId: this.appId, channel, count, serial });
  }
}

/** Sets what is wanted of a channel when its turn has come. */
class Setting implements Intent {
  readonly isLasting = true;
  readonly wantsSubjects = false;
  readonly waiters: Waiter[] = [];
  #kept: number | null = null;

  constructor(
    readonly subject: string,
    /** Takes the wish: what is wanted later is another one's. */
    private readonly takeWish: (kept: number | null) => number,
    private readonly onChange: (result: Result) => void,
  ) {}

  /** Wants this, whatever is wanted later. */
  keepsTo(wish: number): void {
    this.#kept = wish;
  }

  prepare(): Operation {
    return holding(this.subject, this.takeWish(this.#kept));
  }

  done(result: Result): void {
    this.onChange(result);
    for (const { resolve } of this.waiters.splice(0)) resolve(result.total);
  }

  failed(error: unknown): void {
    for (const { reject } of this.waiters.splice(0)) reject(unavailable(error));
  }
}

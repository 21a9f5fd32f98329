import type { ChannelCountChange } from '../../channel-counts.js';
import type { LeaveCause } from '../../port.js';
import { holding, type Operation, type Result } from '../../cluster/operation.js';
import type { Intent, Shard, ShardOwner } from '../../cluster/shard.js';
import { unavailable } from '../../cluster/store.js';
import { type LeaseTime, SubjectLeases } from '../../cluster/subject-leases.js';

interface Waiter {
  readonly resolve: (count: number) => void;
  readonly reject: (error: Error) => void;
}

const KINDS: Partial<Record<Result['outcome'], ChannelCountChange['kind']>> = {
  added: 'occupied',
  removed: 'vacated',
};

/** Some channels of an app, and how many connections of this process are subscribed to each. */
export class ChannelBucket implements ShardOwner {
  readonly #wanted = new Map<string, number>();
  /** Last known stored counts. */
  readonly #stored = new Map<string, number>();
  /** Last pending intent per channel: it writes the latest count. */
  readonly #waiting = new Map<string, Setting>();
  /** Channels that were subscribed and left before the store was updated, and still have to be reported. */
  readonly #passing = new Set<string>();
  /** Channels that are empty according to a store that may lack holdings of others. */
  readonly #leases: SubjectLeases;

  constructor(
    private readonly appId: string,
    private readonly time: LeaseTime,
    private readonly shard: () => Shard,
    private readonly tell: (change: ChannelCountChange) => void,
  ) {
    this.#leases = new SubjectLeases({
      time,
      shard,
      isHeld: (channel) => this.#wanted.has(channel),
      removed: (channel, _, { serial, owed }) => {
        this.#stored.delete(channel);
        this.tell({ kind: 'vacated', appId, channel, count: 0, serial, ...(owed && { owed }) });
      },
      count: { count: 0 },
    });
  }

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
    return this.#wanted.size === 0 && this.#leases.size === 0;
  }

  held(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const channel of this.#leases.subjects) counts.set(channel, 0);
    for (const [channel, count] of this.#wanted) counts.set(channel, count);
    return counts;
  }

  correction(channel: string, stored: number | undefined): Intent | null {
    if (stored !== undefined) this.#stored.set(channel, stored);
    // Lost channels may have been reported to other processes.
    else if (this.time.graceMs === 0) this.#stored.delete(channel);
    const isHeld = this.#wanted.has(channel);
    if (!isHeld && this.#leases.isToEnd(channel, stored)) return this.#leases.ending(channel);
    if (this.#waiting.has(channel)) return null;
    return this.#newSetting(channel, isHeld ? 'left' : this.#leases.cause(channel));
  }

  /** Preserves a short subscription: a pending write is not cancelled by leaving. */
  #keepPassing(channel: string): void {
    const waiting = this.#waiting.get(channel);
    const wanted = this.#wanted.get(channel);
    const isNew = !this.#stored.has(channel) && !this.#passing.has(channel);
    if (waiting === undefined || wanted === undefined || !isNew) return;
    this.#passing.add(channel);
    this.#waiting.delete(channel);
    waiting.keepsTo(wanted);
  }

  #newSetting(channel: string, cause: LeaveCause = 'left'): Setting {
    const setting: Setting = new Setting(
      channel,
      (kept) => {
        if (this.#waiting.get(channel) === setting) this.#waiting.delete(channel);
        if (kept !== null) this.#passing.delete(channel);
        const wish = kept ?? this.#wanted.get(channel) ?? 0;
        // The store cannot lose counts that it never had.
        const isKnown = this.#stored.has(channel);
        return holding(channel, wish, isKnown ? { ...this.#leases.keeping(channel), cause } : {});
      },
      (result) => this.#changed(channel, result),
    );
    return setting;
  }

  #changed(channel: string, { outcome, total: count, count: own, leaseMs, serial, owed }: Result): void {
    const before = this.#stored.get(channel) ?? 0;
    if (count > 0) this.#leases.end(channel);
    if (outcome === 'leased') this.#leases.begin(channel, leaseMs, 'left');
    if (own > 0 || outcome === 'leased') this.#stored.set(channel, own);
    else this.#stored.delete(channel);
    const kind = KINDS[outcome];
    if (own === before && kind === undefined) return;
    const isAgain = kind === 'occupied' && before > 0;
    const more = { ...(isAgain && { isAgain }), ...(owed && { owed }) };
    this.tell({ kind: kind ?? 'counted', appId: this.appId, channel, count, serial, ...more });
  }
}

/** Writes the desired count of a channel. */
class Setting implements Intent {
  readonly isLasting = true;
  readonly wantsSubjects = false;
  readonly waiters: Waiter[] = [];
  #kept: number | null = null;

  constructor(
    readonly subject: string,
    /** Takes the desired count: later changes need another intent. */
    private readonly takeWish: (kept: number | null) => Operation,
    private readonly onChange: (result: Result) => void,
  ) {}

  /** Fixes the count to write, regardless of later changes. */
  keepsTo(wish: number): void {
    this.#kept = wish;
  }

  prepare(): Operation {
    return this.takeWish(this.#kept);
  }

  done(result: Result): void {
    this.onChange(result);
    for (const { resolve } of this.waiters.splice(0)) resolve(result.total);
  }

  failed(error: unknown): void {
    for (const { reject } of this.waiters.splice(0)) reject(unavailable(error));
  }
}

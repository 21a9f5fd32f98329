import type { PresenceClock } from '../clock.js';
import { LeaseLapsed } from './failures.js';
import { inGroups } from './in-groups.js';
import { type ShardName, shardTag } from './keys.js';
import { NodeLife } from './node-life.js';
import type { Reaped } from './operation.js';
import { Reaper } from './reaper.js';
import { Shard, type ShardHost, type ShardOwner } from './shard.js';
import { unavailable, type Batch, type ClusterStore } from './store.js';

export interface LedgerOptions {
  readonly store: ClusterStore;
  /** In front of the name of this node. */
  readonly processId: string;
  /** How long a node that says nothing is taken for alive. */
  readonly leaseMs: number;
  readonly beatMs: number;
  readonly sweepMs: number;
  readonly clock: PresenceClock;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** Who counts in shards of one kind. */
export interface ShardKeeper {
  /** The store says that this process holds something of the shard: it has to be one of the ledger's. */
  known(shard: ShardName): void;
  /** Nothing has been held or wanted for a while. */
  forgotten(shard: ShardName): void;
  /** What the going of a dead node changed. */
  reaped(shard: ShardName, changes: readonly Reaped[], deadNodeId: string): void;
}

const RETRY_MS = 1000;
const SWEEP_MS = 2000;
const MOST_AT_ONCE = 100;
const LEAVE_MS = 1000;

/**
 * Counts of a cluster that hang on leases: every process says how much it holds of what, and everything a process
 * holds goes with its lease. This is the part of one process: it renews the lease, mends what the store missed while
 * it was away, and clears up after dead nodes.
 */
export class Ledger implements ShardHost {
  readonly #shards = new Map<string, Shard>();
  readonly #keepers = new Map<ShardName['kind'], ShardKeeper>();
  readonly #stuck = new Set<Shard>();
  readonly #life: NodeLife;
  readonly #reaper: Reaper;
  #stopBeats: () => void = () => undefined;
  #stopSweeps: () => void = () => undefined;
  #beating: Promise<void> | null = null;
  #mending: Promise<void> | null = null;
  #sweeping: Promise<void> | null = null;
  #closing: Promise<void> | null = null;
  #generation = -1;
  #needsAudit = false;
  /** Names this node had, of which something may be left in the store. */
  readonly #deadNames: string[] = [];

  constructor(private readonly options: LedgerOptions) {
    const { store, processId, leaseMs } = options;
    this.#life = new NodeLife(store, processId, leaseMs);
    this.#reaper = new Reaper(store, (shard, changes, deadNodeId) =>
      this.#keepers.get(shard.kind)?.reaped(shard, changes, deadNodeId),
    );
  }

  /** Every node finds out within this time that it has been forgotten. */
  get beatMs(): number {
    return this.options.beatMs;
  }

  get store(): ClusterStore {
    return this.options.store;
  }

  /** Whether an answer is awaited. */
  get isBusy(): boolean {
    const isBusy = [...this.#shards.values()].some((shard) => shard.isBusy);
    return isBusy || this.#beating !== null || this.#mending !== null || this.#sweeping !== null;
  }

  keep(kind: ShardName['kind'], keeper: ShardKeeper): void {
    this.#keepers.set(kind, keeper);
  }

  /** Reaches the store for the first time. May be called again after it failed. */
  async connect(): Promise<void> {
    await this.#life.begin();
    this.#generation = this.store.generation;
    this.#beatLater(this.options.beatMs);
    this.#sweepLater(0);
  }

  /** The shard, which begins to exist for this process when it is first wanted. */
  shard(name: ShardName, owner: ShardOwner): Shard {
    if (this.#closing !== null) throw unavailable(new Error('closed'));
    const tag = shardTag(name);
    const known = this.#shards.get(tag);
    if (known !== undefined) return known;
    const shard = new Shard(name, owner, this);
    this.#shards.set(tag, shard);
    return shard;
  }

  note(shard: ShardName): Promise<void> {
    return this.store.note(this.#life.licence, [shard]);
  }

  apply(shard: ShardName, batch: Batch) {
    return this.store.apply(shard, this.#life.licence, batch);
  }

  recall(shard: ShardName, batch: Batch) {
    return this.store.recall(shard, this.#life.nodeId, batch);
  }

  stored(shard: ShardName): Promise<ReadonlyMap<string, number>> {
    return this.store.held(shard, this.#life.nodeId);
  }

  stuck(shard: Shard, error: unknown): void {
    if (this.#stuck.size === 0) this.options.onTrouble('counts of the cluster wait for the store', error);
    this.#stuck.add(shard);
    if (error instanceof LeaseLapsed && this.#mending === null) void this.#beat();
    else this.#beatLater(RETRY_MS);
  }

  /** The connection is back: what the store has may be older than what it said. */
  restored(): void {
    this.#needsAudit = true;
    void this.#beat();
  }

  /** Gives back its lease, so that others see to what is left. Idempotent, never rejects. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#stopBeats();
    this.#stopSweeps();
    const { clock, onTrouble } = this.options;
    const busy = [...this.#shards.values()].filter(({ isIdle }) => !isIdle);
    await Promise.race([
      // A lease that is renewed after it was given back would keep everything until its end.
      Promise.all([this.#beating, ...busy.map((shard) => shard.resume())]),
      new Promise<void>((resolve) => clock.after(LEAVE_MS, resolve)),
    ]);
    try {
      const isEmpty = [...this.#shards.values()].every((shard) => shard.isEmpty);
      const isFree = isEmpty && (await this.store.countNoted(this.#life.nodeId)) === 0;
      await (isFree ? this.store.forget(this.#life.nodeId) : this.store.leave(this.#life.nodeId, true));
    } catch (error) {
      onTrouble('leaving the shared store', error);
    }
    this.store.close();
  }

  #beatLater(ms: number): void {
    if (this.#closing !== null) return;
    this.#stopBeats();
    this.#stopBeats = this.options.clock.after(ms, () => void this.#beat());
  }

  #beat(): Promise<void> {
    this.#beating ??= this.#beatOnce().finally(() => {
      this.#beating = null;
    });
    return this.#beating;
  }

  async #beatOnce(): Promise<void> {
    if (this.#closing !== null) return;
    try {
      const deadName = await this.#life.renew();
      if (deadName !== null) this.#liveAnew(deadName);
      const { generation } = this.store;
      if (generation !== this.#generation) this.#needsAudit = true;
      this.#generation = generation;
      // Beats do not wait for it: mending may take longer than a lease.
      void this.#mend();
      this.#beatLater(this.#stuck.size > 0 ? RETRY_MS : this.options.beatMs);
    } catch (error) {
      if (this.#closing !== null) return;
      this.options.onTrouble('renewing the lease of this process', error);
      this.#needsAudit = true;
      this.#beatLater(RETRY_MS);
    }
  }

  #liveAnew(deadName: string): void {
    this.#deadNames.push(deadName);
    for (const shard of this.#shards.values()) shard.restart();
    this.#needsAudit = true;
  }

  #mend(): Promise<void> {
    this.#mending ??= this.#mendOnce().finally(() => {
      this.#mending = null;
    });
    return this.#mending;
  }

  async #mendOnce(): Promise<void> {
    try {
      if (this.#needsAudit) await this.#auditEverything();
      else await this.#resumeStuck();
      // Everything is said again under the new name; only now is what is left of an old one taken back.
      for (let [deadName] = this.#deadNames; deadName !== undefined; [deadName] = this.#deadNames) {
        await this.#leaveBehind(deadName);
        this.#deadNames.shift();
      }
      await this.#tidy();
    } catch (error) {
      if (this.#closing !== null) return;
      this.options.onTrouble('mending the counts of the cluster', error);
      this.#needsAudit = true;
      this.#beatLater(RETRY_MS);
    }
  }

  /**
   * A store that had lost everything may have been told something under the old name before this node found out: it
   * knows of no shard where it would have to be taken back.
   */
  async #leaveBehind(deadName: string): Promise<void> {
    const names = [...this.#shards.values()].map(({ name }) => name);
    for (let at = 0; at < names.length; at += MOST_AT_ONCE) {
      await this.store.noteDead(deadName, names.slice(at, at + MOST_AT_ONCE));
    }
    await this.store.leave(deadName, false);
  }

  /** Every shard is looked through; one that fails goes on with that when it is resumed. */
  async #auditEverything(): Promise<void> {
    this.#needsAudit = false;
    // What the store has of this node although nobody here wants it: it may have come back from an older copy.
    for (let cursor: string | null = '0'; cursor !== null;) {
      const page = await this.store.noted(this.#life.nodeId, cursor);
      for (const name of page.shards) this.#keepers.get(name.kind)?.known(name);
      ({ cursor } = page);
    }
    this.#stuck.clear();
    await inGroups([...this.#shards.values()], (shard) => shard.audit());
  }

  async #resumeStuck(): Promise<void> {
    const shards = [...this.#stuck];
    this.#stuck.clear();
    await inGroups(shards, (shard) => shard.resume());
  }

  /** Forgets shards of which nothing was held or wanted since the last time. */
  async #tidy(): Promise<void> {
    const quiet: Shard[] = [];
    for (const shard of this.#shards.values()) {
      if (shard.isEmpty && shard.isQuiet) quiet.push(shard);
      else shard.isQuiet = true;
    }
    for (let at = 0; at < quiet.length; at += MOST_AT_ONCE) {
      await this.#forget(quiet.slice(at, at + MOST_AT_ONCE));
    }
  }

  async #forget(shards: readonly Shard[]): Promise<void> {
    const own = shards.filter((shard) => shard.isEmpty && shard.isQuiet);
    if (own.length === 0) return;
    // Wanted meanwhile, they are named again, which comes after this on the same connection.
    for (const shard of own) {
      this.#shards.delete(shardTag(shard.name));
      this.#keepers.get(shard.name.kind)?.forgotten(shard.name);
    }
    await this.store.unnote(
      this.#life.nodeId,
      own.map(({ name }) => name),
    );
  }

  #sweepLater(ms: number): void {
    if (this.#closing !== null) return;
    this.#stopSweeps = this.options.clock.after(ms, () => {
      this.#sweeping = this.#sweep().finally(() => {
        this.#sweeping = null;
        this.#sweepLater(Math.min(this.options.sweepMs, SWEEP_MS));
      });
    });
  }

  async #sweep(): Promise<void> {
    try {
      await this.#reaper.sweep(this.#life.nodeId);
    } catch (error) {
      if (this.#closing === null) this.options.onTrouble('clearing up after dead nodes', error);
    }
  }
}

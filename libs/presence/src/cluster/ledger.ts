import type { PresenceClock } from '../clock.js';
import type { Owed } from '../port.js';
import { GracePeriod } from './grace-period.js';
import { LeaseLapsed } from './failures.js';
import type { ShardName } from './keys.js';
import { Mending } from './mending.js';
import { NodeLife } from './node-life.js';
import type { Answer, Reaped } from './operation.js';
import { OwedBook } from './owed-book.js';
import type { OwedEntry } from './owed-entry.js';
import { Reaper } from './reaper.js';
import type { Shard, ShardHost, ShardOwner } from './shard.js';
import { Shards } from './shards.js';
import { RETURN_MS, unavailable, type Batch, type ClusterStore } from './store.js';
import { Sweeps } from './sweeps.js';

export interface LedgerOptions {
  readonly store: ClusterStore;
  /** In front of the name of this node. */
  readonly processId: string;
  /** Time after its last renewal at which a node counts as dead. */
  readonly leaseMs: number;
  readonly beatMs: number;
  readonly sweepMs: number;
  readonly clock: PresenceClock;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** Owner of the shards of one kind. */
export interface ShardKeeper {
  /** The store has holdings of this process in the shard: it must be registered with the ledger. */
  known(shard: ShardName): void;
  /** Nothing has been held or wanted for a while. */
  forgotten(shard: ShardName): void;
  /** Reports the changes caused by the removal of a dead node. */
  reaped(shard: ShardName, changes: readonly Reaped[], deadNodeId: string): void;
  /** Whether changes of the shard are kept until their notification is settled. Absent: they are not. */
  isOwed?(shard: ShardName): boolean;
  /** A change whose notification a dead node owed. */
  owed?(shard: ShardName, entry: OwedEntry, owed: Owed): void;
  /**
   * All nodes have reported their holdings again to a store that lost data. Changes in the meantime may be
   * unreported.
   */
  saidAgain?(): void;
}

const RETRY_MS = 1000;
const SWEEP_MS = 2000;
const LEAVE_MS = 1000;

/**
 * Lease-based counts of a cluster: every process writes its holdings, which expire with its lease. This is the part
 * of one process: it renews the lease, repairs the store after outages, and removes dead nodes.
 */
export class Ledger implements ShardHost {
  readonly #shards: Shards;
  readonly #keepers = new Map<ShardName['kind'], ShardKeeper>();
  readonly #mending: Mending;
  readonly #life: NodeLife;
  readonly #sweeps: Sweeps;
  readonly #grace: GracePeriod;
  readonly #owed: OwedBook;
  #stopBeats: () => void = () => undefined;
  #beating: Promise<void> | null = null;
  #mended: Promise<void> | null = null;
  #closing: Promise<void> | null = null;
  #generation: number;

  constructor(private readonly options: LedgerOptions) {
    const { store, processId, leaseMs, sweepMs, clock, onTrouble } = options;
    this.#generation = store.generation;
    this.#life = new NodeLife(store, processId, leaseMs);
    this.#owed = new OwedBook({
      store,
      isOwed: (name) => this.#keepers.get(name.kind)?.isOwed?.(name) ?? false,
      onTrouble: (error) => onTrouble('settling notifications', error),
    });
    this.#shards = new Shards({
      host: this,
      owes: (name) => this.#owed.has(name, this.#life.nodeId),
      forgotten: (name) => this.#keepers.get(name.kind)?.forgotten(name),
      unnote: (names) => store.unnote(this.#life.nodeId, names),
    });
    this.#mending = new Mending({
      store,
      nodeId: () => this.#life.nodeId,
      shards: () => this.#shards.all,
      known: (name) => this.#keepers.get(name.kind)?.known(name),
    });
    this.#grace = new GracePeriod(this, () => this.#keepers.forEach((keeper) => keeper.saidAgain?.()));
    const reaper = new Reaper(
      store,
      this.#owed,
      (shard, changes, deadNodeId) => this.#keepers.get(shard.kind)?.reaped(shard, changes, deadNodeId),
      (shard, entry, owed) => this.#keepers.get(shard.kind)?.owed?.(shard, entry, owed),
    );
    this.#sweeps = new Sweeps({
      reaper,
      clock,
      everyMs: Math.min(sweepMs, SWEEP_MS),
      nodeId: () => this.#life.nodeId,
      isGracePeriod: () => this.graceMs > 0,
      onTrouble: (error) => onTrouble('clearing up after dead nodes', error),
    });
  }

  /** Time within which every node reports its holdings again to a store that lost them. */
  get saidAgainMs(): number {
    return RETURN_MS + this.options.beatMs;
  }

  /** Remaining time in which the store may lack holdings of other nodes; 0: it is complete. */
  get graceMs(): number {
    this.#noticeServer();
    return this.#grace.leftMs;
  }

  get store(): ClusterStore {
    return this.options.store;
  }

  /** Whether an answer is awaited. */
  get isBusy(): boolean {
    const isBusy = this.#shards.all.some((shard) => shard.isBusy);
    return isBusy || this.#beating !== null || this.#mended !== null || this.#sweeps.isBusy;
  }

  keep(kind: ShardName['kind'], keeper: ShardKeeper): void {
    this.#keepers.set(kind, keeper);
  }

  /** Reaches the store for the first time. May be called again after it failed. */
  async connect(): Promise<void> {
    await this.#life.begin();
    this.#generation = this.store.generation;
    this.#beatLater(this.options.beatMs);
    this.#sweeps.begin();
  }

  /** The shard, which begins to exist for this process when it is first wanted. */
  shard(name: ShardName, owner: ShardOwner): Shard {
    if (this.#closing !== null) throw unavailable(new Error('closed'));
    return this.#shards.of(name, owner);
  }

  get generation(): number {
    return this.store.generation;
  }

  get nodeId(): string {
    return this.#life.nodeId;
  }

  get nowMs(): number {
    return this.options.clock.now();
  }

  /** Runs once after so long, unless this node has left by then. The answer calls it off. */
  after(ms: number, run: () => void): () => void {
    return this.options.clock.after(ms, () => {
      if (this.#closing === null) run();
    });
  }

  note(shard: ShardName): Promise<void> {
    return this.store.note(this.#life.licence, [shard]);
  }

  async apply(shard: ShardName, batch: Batch): Promise<Answer> {
    const { licence } = this.#life;
    const answer = await this.store.apply(shard, licence, batch, this.#owed.isOwed(shard));
    return this.#owed.answered(shard, licence.nodeId, batch, answer);
  }

  async recall(shard: ShardName, nodeId: string, batch: Batch): Promise<Answer | null> {
    const answer = await this.store.recall(shard, nodeId, batch);
    return answer && this.#owed.answered(shard, nodeId, batch, answer);
  }

  stored(shard: ShardName): Promise<ReadonlyMap<string, number>> {
    return this.store.held(shard, this.#life.nodeId);
  }

  stuck(shard: Shard, error: unknown): void {
    if (!this.#mending.isStuck) this.options.onTrouble('counts of the cluster wait for the store', error);
    this.#mending.stuck(shard);
    if (error instanceof LeaseLapsed && this.#mended === null) void this.#beat();
    else this.#beatLater(RETRY_MS);
  }

  /** The connection was restored or replaced: the store may have older data than it confirmed. */
  restored(): void {
    this.#mayBeOlder();
    void this.#beat();
  }

  /** Releases the lease, so that other nodes remove the rest. Idempotent, never rejects. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#stopBeats();
    this.#sweeps.stop();
    const { clock, onTrouble } = this.options;
    const busy = this.#shards.all.filter(({ isIdle }) => !isIdle);
    await Promise.race([
      // A lease renewed after its release would keep everything until it expires.
      Promise.all([this.#beating, ...busy.map((shard) => shard.resume())]),
      new Promise<void>((resolve) => clock.after(LEAVE_MS, resolve)),
    ]);
    try {
      await this.#owed.close();
      const { nodeId } = this.#life;
      const isEmpty = this.#shards.all.every((shard) => shard.isEmpty && !this.#owed.has(shard.name, nodeId));
      const isFree = isEmpty && (await this.store.countNoted(nodeId)) === 0;
      await (isFree ? this.store.forget(nodeId) : this.store.leave(nodeId, true));
    } catch (error) {
      onTrouble('leaving the shared store', error);
    }
    this.store.close();
  }

  #noticeServer(): void {
    const { generation } = this.store;
    if (generation !== this.#generation) this.#mayBeOlder();
    this.#generation = generation;
  }

  /** Marks the store as possibly older than it confirmed. */
  #mayBeOlder(): void {
    this.#mending.needsAudit = true;
    this.#grace.arise();
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
      this.#noticeServer();
      // Beats do not wait for it: mending may take longer than a lease.
      void this.#mend();
      this.#beatLater(this.#mending.isStuck ? RETRY_MS : this.options.beatMs);
    } catch (error) {
      if (this.#closing !== null) return;
      this.options.onTrouble('renewing the lease of this process', error);
      this.#mending.needsAudit = true;
      this.#beatLater(RETRY_MS);
    }
  }

  #liveAnew(deadName: string): void {
    this.#mending.renamed(deadName);
    for (const shard of this.#shards.all) shard.restart();
    if (this.#life.watchedMs < this.saidAgainMs) this.#mayBeOlder();
  }

  #mend(): Promise<void> {
    this.#mended ??= this.#mendOnce().finally(() => {
      this.#mended = null;
    });
    return this.#mended;
  }

  async #mendOnce(): Promise<void> {
    try {
      await this.#mending.mend();
      await this.#shards.tidy();
    } catch (error) {
      if (this.#closing !== null) return;
      this.options.onTrouble('mending the counts of the cluster', error);
      this.#mending.needsAudit = true;
      this.#beatLater(RETRY_MS);
    }
  }
}

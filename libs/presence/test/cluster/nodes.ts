import type { EngineHandle } from '@carillon/test-backends';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Keys } from '../../src/cluster/keys.js';
import { Ledger } from '../../src/cluster/ledger.js';
import { ClusterStore, type StoreLink } from '../../src/cluster/store.js';
import { RedisChannelCounts } from '../../src/drivers/redis/redis-channel-counts.js';
import { RedisConnectionQuota } from '../../src/drivers/redis/redis-connection-quota.js';
import { RedisPresence } from '../../src/drivers/redis/redis-presence.js';
import type { ChannelCountChange } from '../../src/index.js';
import { ManualClock } from '../manual-clock.js';
import { openStoreLink, type StoreDriver } from './store-link.js';

export const NODE_LEASE_MS = 30_000;
const BEAT_MS = 10_000;
const SWEEP_MS = 10_000;
/** Small enough that every beat and every sweep has its turn. */
const STEP_MS = 2000;

/** A process of a cluster. */
export interface Node {
  readonly presence: RedisPresence;
  readonly counts: RedisChannelCounts;
  readonly quota: RedisConnectionQuota;
  readonly ledger: Ledger;
  readonly troubles: string[];
  readonly faults: unknown[];
  readonly counted: ChannelCountChange[];
  /** Kills it as `kill -9` does: nothing of it runs or reaches the store any longer. */
  kill(): void;
  /** Stops or resumes its timers, like a suspended process. */
  freeze(): void;
  thaw(): void;
}

export interface NodeOptions {
  readonly wrap?: (link: StoreLink) => StoreLink;
  readonly maxLeases?: number;
}

/** Processes over one corner of a real store, and the time they share. */
export class Cluster {
  readonly #clock = new ManualClock();
  readonly #nodes: Node[] = [];
  readonly #dead = new Set<Node>();
  readonly prefix = `t-${randomUUID()}:`;
  #aheadMs = 0;

  constructor(
    private readonly driver: StoreDriver,
    private readonly given?: EngineHandle,
  ) {}

  async open({ wrap = (link) => link, maxLeases }: NodeOptions = {}): Promise<Node> {
    let isAlive = true;
    let isFrozen = false;
    const thawed: (() => void)[] = [];
    const guarded = (run: () => void) => () => {
      if (!isAlive) return;
      if (isFrozen) thawed.push(run);
      else run();
    };
    const clock = {
      now: () => this.#clock.now(),
      after: (ms: number, run: () => void) => this.#clock.after(ms, guarded(run)),
    };
    const troubles: string[] = [];
    const faults: unknown[] = [];
    const link = await openStoreLink(this.driver, this.given, {
      lost: () => {},
      restored: () => ledger.restored(),
    });
    const ledger: Ledger = new Ledger({
      store: new ClusterStore(wrap(link), new Keys(this.prefix), () => this.#aheadMs),
      processId: `node-${this.#nodes.length}`,
      leaseMs: NODE_LEASE_MS,
      beatMs: BEAT_MS,
      sweepMs: SWEEP_MS,
      clock,
      onTrouble: (what, error) => troubles.push(`${what}: ${String(error)}`),
    });
    const presence = new RedisPresence({
      ledger,
      onObserverFault: (error) => faults.push(error),
      ...(maxLeases === undefined ? {} : { maxLeases }),
    });
    const counts = new RedisChannelCounts(ledger, (error) => faults.push(error));
    const counted: ChannelCountChange[] = [];
    counts.observe((change) => counted.push(change));
    const quota = new RedisConnectionQuota(ledger);
    await ledger.connect();
    const node: Node = {
      presence,
      counts,
      quota,
      ledger,
      troubles,
      faults,
      counted,
      kill: () => {
        isAlive = false;
        this.#dead.add(node);
        link.close();
      },
      freeze: () => {
        isFrozen = true;
      },
      thaw: () => {
        isFrozen = false;
        for (const run of thawed.splice(0)) run();
      },
    };
    this.#nodes.push(node);
    return node;
  }

  /** Advances time for all nodes and runs due work. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= STEP_MS) {
      const step = Math.min(left, STEP_MS);
      this.#aheadMs += step;
      this.#clock.advance(step);
      await this.settle();
    }
  }

  /** Waits until no work is in flight. */
  async settle(): Promise<void> {
    const living = this.#nodes.filter((node) => !this.#dead.has(node));
    for (let quiet = 0; quiet < 2;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (living.every(({ ledger }) => !ledger.isBusy)) quiet += 1;
      else {
        quiet = 0;
        await sleep(1);
      }
    }
  }

  async close(): Promise<void> {
    for (const node of this.#nodes) {
      if (!this.#dead.has(node)) await node.presence.close();
    }
  }

  /** The keys that are left of this corner. */
  async keys(): Promise<string[]> {
    const link = await openStoreLink(this.driver, this.given);
    try {
      const servers = await link.masters();
      const keys = await Promise.all(servers.map((server) => server('keys', `${this.prefix}*`)));
      return (keys as string[][])
        .flat()
        .map((key) => key.slice(this.prefix.length))
        .sort();
    } finally {
      link.close();
    }
  }
}

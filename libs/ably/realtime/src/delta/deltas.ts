import { BaseBudget } from '@carillon/delta';
import { type AppHub, type Codec, DeltaMeters, type LocalChannel } from '@carillon/realtime';
import type { Metrics } from '@carillon/runtime';
import type { CompatCodec } from '../codec.js';
import { type ChainChannel, DeltaChain } from './delta-chain.js';
import { DeltaEntry } from './delta-entry.js';

/** The limit of base characters per app in this process. Beyond it, the least recently used bases are dropped. */
const MAX_LENGTH = 64 * 1024 * 1024;

/** The delta chains of all channels of this process. */
export class Deltas {
  readonly #channels = new WeakMap<LocalChannel, Chains>();
  readonly #budgets = new WeakMap<AppHub, BaseBudget>();

  constructor(private readonly metrics: Metrics) {}

  /** The codec of an attachment with deltas. */
  entry(hub: AppHub, about: LocalChannel['about'], full: CompatCodec): Codec {
    this.#meters(hub, about).enabled();
    return new DeltaEntry(full, (entry) => {
      const local = hub.channels.get(about.name);
      // A channel without subscribers delivers nothing.
      return local === undefined ? full : this.#chains(hub, local).begin(entry);
    });
  }

  #chains(hub: AppHub, local: LocalChannel): Chains {
    let chains = this.#channels.get(local);
    if (chains === undefined) {
      chains = new Chains(local, this.#budget(hub), this.#meters(hub, local.about));
      this.#channels.set(local, chains);
    }
    return chains;
  }

  #meters({ appId: app_id }: AppHub, { namespace }: LocalChannel['about']): DeltaMeters {
    return new DeltaMeters(this.metrics, { app_id, channel_name: namespace?.name ?? '_' });
  }

  #budget(hub: AppHub): BaseBudget {
    let budget = this.#budgets.get(hub);
    if (budget === undefined) this.#budgets.set(hub, (budget = new BaseBudget(MAX_LENGTH)));
    return budget;
  }
}

/**
 * Chains of subscribers with the same encoding. Beyond the limit a new subscriber joins an existing chain, which then
 * restarts in full.
 */
const MAX_CHAINS = 16;

/**
 * The chains of one channel. For each codec there is at most one chain with a base and one that starts, in addition
 * to chains whose messages await the evaluation of a filter.
 */
class Chains implements ChainChannel {
  readonly #chains = new Set<DeltaChain>();

  constructor(
    private readonly local: LocalChannel,
    private readonly budget: BaseBudget,
    readonly meters: DeltaMeters,
  ) {}

  /** Returns the chain for a subscriber that begins to receive now. */
  begin(entry: DeltaEntry): DeltaChain {
    const alike = [...this.#chains].filter(({ full }) => full === entry.full);
    // A subscriber that begins now would receive waiting messages, or have no base for the following ones.
    const ready = alike.filter((chain) => !this.local.isBehind(chain));
    const [first, ...others] = ready.filter(({ baseId }) => baseId !== null);
    // Merges the chains with a base; they can share one if their last message is the same.
    for (const other of others) {
      if (first === undefined) break;
      if (other.baseId !== first.baseId) first.clear();
      this.local.merge(other, first);
    }
    const found = ready.find(({ baseId }) => baseId === null);
    if (found !== undefined) return found;
    if (alike.length >= MAX_CHAINS) {
      first?.renew();
      const joined = first ?? alike[0];
      if (joined !== undefined) return joined;
    }
    const chain = new DeltaChain(this, entry.full, entry);
    this.#chains.add(chain);
    return chain;
  }

  stepped(chain: DeltaChain): void {
    this.budget.used(chain);
  }

  left(chain: DeltaChain): void {
    this.budget.left(chain);
    this.#chains.delete(chain);
  }
}

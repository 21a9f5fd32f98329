import type { Cache } from '@carillon/cache';
import { cacheKeys } from '@carillon/contracts';
import type { BrokerOutage } from '@carillon/broker';

/** Lifetime of a mark; outlasts two failed renewals. */
const MARK_MS = 15_000;
const RENEW_MS = 5000;

/**
 * Distinguishes a broker that is lost for the whole installation from one that only this process cannot reach. A node
 * without its broker marks itself in the shared store as long as the outage lasts; when all other nodes are marked,
 * clients gain nothing by reconnecting to another node.
 */
export class Outages {
  #renewal: NodeJS.Timeout | null = null;

  /** `store`: the shared key-value store; null: the installation has none. */
  constructor(private readonly store: Cache | null) {}

  /** Marks this node until `end`. */
  begin({ nodeId }: BrokerOutage): void {
    this.end();
    const mark = (): void => {
      // A store that is unavailable as well is tried again with the next renewal.
      this.store?.set(cacheKeys.brokerOutage(nodeId), '', MARK_MS).catch(() => undefined);
    };
    mark();
    this.#renewal = setInterval(mark, RENEW_MS).unref();
  }

  /** Stops renewing the mark, which then expires. Idempotent. */
  end(): void {
    if (this.#renewal !== null) clearInterval(this.#renewal);
    this.#renewal = null;
  }

  /**
   * Returns whether reconnecting elsewhere is pointless: no other node is known, or all of them are marked. Without a
   * shared store another node counts as available. If the store is unreachable together with the broker, a response
   * from a host of the broker proves that the broker itself is down. Never rejects.
   */
  async isForAll(outage: BrokerOutage): Promise<boolean> {
    const peers = outage.peers();
    if (peers.length === 0) return true;
    const { store } = this;
    if (store === null) return false;
    try {
      const marked = await Promise.all(peers.map((nodeId) => store.has(cacheKeys.brokerOutage(nodeId))));
      return marked.every(Boolean);
    } catch {
      return outage.hostAnswers();
    }
  }
}

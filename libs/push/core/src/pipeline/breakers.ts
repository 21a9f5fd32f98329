import type { Provider } from '@carillon/push-providers';
import { type BatchVerdict, Breaker, type BreakerSettings, type BreakerState } from './breaker.js';
import type { ResolvedCredential } from './credentials.js';

const MAX_PLACES = 10_000;

/** Unit of failure: an app's credential at a server. */
export interface Place {
  readonly appId: string;
  readonly provider: Provider;
  readonly resolved: ResolvedCredential;
  /** The push service that a subscription names; empty where a provider is one service. */
  readonly host: string;
}

interface Kept {
  readonly breaker: Breaker;
  readonly provider: Provider;
  readonly tenant: string;
}

const WORST: readonly BreakerState[] = ['closed', 'half-open', 'open'];

/**
 * Circuit breakers of a process. A new version of a credential has its own breaker, since it may fix the fault; so
 * has every push service of Web Push, since devices choose them: a failing one must not block others.
 */
export class Breakers {
  /** The oldest first. */
  readonly #kept = new Map<string, Kept>();

  constructor(private readonly settings: BreakerSettings) {}

  of({ appId, provider, resolved, host }: Place): Breaker {
    const { tenant, credentialId, version } = resolved;
    const name = JSON.stringify([appId, provider, credentialId, version, host]);
    const known = this.#kept.get(name);
    if (known !== undefined) return known.breaker;
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= MAX_PLACES && oldest !== undefined) this.#kept.delete(oldest);
    const breaker = new Breaker(this.settings);
    this.#kept.set(name, { breaker, provider, tenant });
    return breaker;
  }

  /** The worst of each provider and owner of a credential: 0 closed, 1 half-open, 2 open. */
  states(nowMs: number): Iterable<{ provider: Provider; tenant: string; state: number }> {
    const worst = new Map<string, { provider: Provider; tenant: string; state: number }>();
    for (const { breaker, provider, tenant } of this.#kept.values()) {
      const name = JSON.stringify([provider, tenant]);
      const state = Math.max(WORST.indexOf(breaker.state(nowMs)), worst.get(name)?.state ?? 0);
      worst.set(name, { provider, tenant, state });
    }
    return worst.values();
  }
}

interface Gate {
  readonly breaker: Breaker;
  readonly verdict: Verdict;
  begun: number;
}

/** Evidence of a batch about one unit. */
export interface Verdict extends BatchVerdict {
  anyAccepted: boolean;
  anyFailure: boolean;
  quotaUntilMs: number | null;
}

/** The breakers that one batch meets: each counts the batch once, however many of it go there. */
export class Gates {
  readonly #gates = new Map<string, Gate>();
  /** When the first of those may begin that may not now; null: all may. */
  heldUntilMs: number | null = null;

  constructor(
    private readonly breakers: Breakers,
    private readonly place: Omit<Place, 'host'>,
  ) {}

  /** Returns the items that may begin now. */
  admit<Item extends { readonly host: string }>(items: readonly Item[], nowMs: number): Item[] {
    const byHost = new Map<string, Item[]>();
    for (const item of items) byHost.set(item.host, [...(byHost.get(item.host) ?? []), item]);
    return [...byHost].flatMap(([host, some]) => {
      const gate = this.#gate(host);
      const { allowed, untilMs } = gate.breaker.enter(some.length, nowMs);
      gate.begun += allowed;
      if (allowed < some.length) this.heldUntilMs = Math.min(this.heldUntilMs ?? Infinity, untilMs);
      return some.slice(0, allowed);
    });
  }

  verdict(host: string): Verdict {
    return this.#gate(host).verdict;
  }

  /** Reports the outcomes to the breakers; returns how many opened. */
  leave(nowMs: number): number {
    let opened = 0;
    for (const { breaker, begun, verdict } of this.#gates.values()) {
      if (breaker.leave(begun, verdict, nowMs)) opened += 1;
    }
    this.#gates.clear();
    return opened;
  }

  #gate(host: string): Gate {
    const known = this.#gates.get(host);
    if (known !== undefined) return known;
    const verdict = { anyAccepted: false, anyFailure: false, quotaUntilMs: null };
    const gate: Gate = { breaker: this.breakers.of({ ...this.place, host }), verdict, begun: 0 };
    this.#gates.set(host, gate);
    return gate;
  }
}

import { Rounds } from './rounds.js';
import { Suspects } from './suspects.js';
import { takeFirst } from './take-first.js';
import type { Session } from './wire.js';
import { type Patience, DesiredSubscription } from './desired-subscription.js';

export interface SubscriptionsOptions {
  readonly confirmTimeoutMs: number;
  readonly lingerMs: number;
  readonly coalesceMs: number;
  readonly coalesceMax: number;
  readonly onConfirmed: (afterMs: number) => void;
  readonly onTimeout: () => void;
  /** The broker does not take it. */
  readonly onRefused: (address: string) => void;
  /** Everything essential comes here, again or for the first time. */
  readonly onComplete: () => void;
  /** All comes here again that was wanted when a session or some of its subscriptions were lost. */
  readonly onReturned: () => void;
  /** Called when the session misbehaves. */
  readonly onFault: (session: Session, reason: string) => void;
}

/** Hard limit of subscriptions of a process. Warnings at lower counts are the caller's responsibility. */
const MAX_WISHES = 1_000_000;
/** An address with subscribers that may be the cause of lost sessions is requested again after this. */
const RETRY_GUILTY_MS = 15_000;

/**
 * Desired subscriptions of this process and those that the broker has confirmed. Every difference (a new or released
 * subscription, a new session, one dropped by the broker) is reconciled by the same rounds: first all unsubscribes,
 * then all subscribes, one round trip each.
 */
export class Subscriptions {
  readonly #wishes = new Map<string, DesiredSubscription>();
  readonly #toBegin = new Set<DesiredSubscription>();
  /** Subscribed one by one after all others: a session was lost while they were being subscribed. */
  readonly #doubtful = new Set<DesiredSubscription>();
  readonly #suspects = new Suspects();
  /** Subscribe operations in flight. */
  #beginning: readonly DesiredSubscription[] = [];
  /** With whether the broker had confirmed it. */
  readonly #toEnd = new Map<string, boolean>();
  /** Subscriptions that were confirmed before and wait for confirmation by the new session. */
  readonly #returning = new Set<DesiredSubscription>();
  #missing = 0;
  #essentials = 0;
  #essentialsMissing = 0;
  #completion: Promise<void> | null = null;
  #completed: () => void = () => {};
  readonly #rounds: Rounds;
  readonly #patience: Patience;
  #progressAtMs = -Infinity;

  constructor(private readonly options: SubscriptionsOptions) {
    this.#patience = {
      timeoutMs: options.confirmTimeoutMs,
      progressAtMs: () => this.#progressAtMs,
      onTimeout: options.onTimeout,
    };
    this.#rounds = new Rounds({
      ...options,
      work: () => this.#toBegin.size + this.#doubtful.size + this.#toEnd.size,
      some: async (session) => {
        await this.#endSome(session);
        await this.#beginSome(session);
      },
    });
  }

  /** Number of desired addresses, including released ones in their linger period. */
  get size(): number {
    return this.#wishes.size - this.#essentials;
  }

  /** Whether everything essential comes here. */
  get isComplete(): boolean {
    return this.#rounds.session !== null && this.#essentialsMissing === 0;
  }

  /** Settles when everything essential comes here. */
  complete(): Promise<void> {
    if (this.isComplete) return Promise.resolve();
    this.#completion ??= new Promise((resolve) => (this.#completed = resolve));
    return this.#completion;
  }

  /** Wanted as long as this process lives, or until `drop`. */
  keep(address: string): void {
    if (!this.#wishes.has(address)) this.#add(address, true);
  }

  /** Ends a lingering subscription immediately. */
  drop(address: string): void {
    const wish = this.#wishes.get(address);
    if (wish !== undefined) this.#end(wish);
  }

  /**
   * Wanted until `release`. Settles when the broker has confirmed it; undefined: it has. Rejects when the broker
   * confirms nothing for too long, which leaves it wanted, or when the broker refuses it, which does not.
   */
  hold(address: string): Promise<void> | undefined {
    if (!this.#wishes.has(address) && this.#wishes.size >= MAX_WISHES) {
      return Promise.reject(new Error('too many channels are subscribed to in this process'));
    }
    if (this.#suspects.isGuilty(address)) return Promise.reject(refusal());
    const wish = this.#wishes.get(address) ?? this.#add(address, false);
    wish.stopLingering();
    if (!wish.isMissing) return undefined;
    return wish.wait(this.#patience);
  }

  /** Releases an address. The subscription ends after its linger period unless it is requested again. */
  release(address: string): void {
    const wish = this.#wishes.get(address);
    if (wish === undefined || wish.linger !== null) return;
    wish.linger = setTimeout(() => this.#end(wish), this.options.lingerMs);
  }

  /** A new session knows nothing yet. */
  attach(session: Session): void {
    this.#rounds.attach(session);
  }

  /** Detaches the lost session and all its confirmations. Lingering subscriptions end. */
  detach(): void {
    this.#rounds.detach();
    this.#toEnd.clear();
    this.#toBegin.clear();
    this.#doubtful.clear();
    this.#suspect();
    for (const wish of this.#wishes.values()) this.#lack(wish);
  }

  /** Handles subscriptions that the broker dropped. */
  dropped(addresses: readonly string[]): void {
    for (const address of addresses) {
      const wish = this.#wishes.get(address);
      if (wish !== undefined) this.#lack(wish);
    }
    this.#rounds.plan();
  }

  /** Returns the number of desired addresses that have been unconfirmed for longer than `ms`. */
  missingLongerThan(ms: number): number {
    if (this.#missing === 0) return 0;
    const beforeMs = performance.now() - ms;
    let count = 0;
    for (const { missingSinceMs, linger } of this.#wishes.values()) {
      if (missingSinceMs !== null && missingSinceMs <= beforeMs && linger === null) count += 1;
    }
    return count;
  }

  /** Ends all subscriptions. */
  close(): void {
    this.#rounds.close();
    this.#returning.clear();
    for (const wish of this.#wishes.values()) this.#end(wish);
  }

  #add(address: string, isEssential: boolean): DesiredSubscription {
    const wish = new DesiredSubscription(address, isEssential);
    this.#wishes.set(address, wish);
    if (isEssential) {
      this.#essentials += 1;
      this.#essentialsMissing += 1;
    }
    this.#missing += 1;
    const wasConfirmed = this.#toEnd.get(address) === true;
    this.#toEnd.delete(address);
    // One that was about to end needs no beginning: the broker still has it.
    if (wasConfirmed) this.#confirm(wish);
    else this.#want(wish);
    this.#rounds.plan();
    return wish;
  }

  #want(wish: DesiredSubscription): void {
    if (!wish.isEssential && this.#suspects.isGuilty(wish.address)) return this.#retryLater(wish);
    const isDoubtful = !wish.isEssential && this.#suspects.has(wish.address);
    (isDoubtful ? this.#doubtful : this.#toBegin).add(wish);
  }

  #retryLater(wish: DesiredSubscription): void {
    wish.retry ??= setTimeout(() => {
      wish.retry = null;
      if (!wish.isMissing) return;
      this.#doubtful.add(wish);
      this.#rounds.plan();
    }, RETRY_GUILTY_MS).unref();
  }

  /** Marks the subscriptions in flight as possible causes of the lost session. */
  #suspect(): void {
    for (const wish of this.#beginning) {
      if (wish.isEssential || this.#wishes.get(wish.address) !== wish) continue;
      this.#suspects.strike(wish.address);
      // Refusing an address with acknowledged subscribers would leave them without messages, and without notice.
      const mayRefuse = wish.isAwaited && !wish.wasConfirmed;
      if (mayRefuse && this.#suspects.isGuilty(wish.address)) this.#refuse(wish);
    }
    this.#beginning = [];
  }

  #confirm(wish: DesiredSubscription): void {
    if (wish.missingSinceMs === null) return;
    this.options.onConfirmed(performance.now() - wish.missingSinceMs);
    wish.wasConfirmed = true;
    wish.stopRetrying();
    wish.missingSinceMs = null;
    this.#missing -= 1;
    wish.tell(null);
    if (wish.isEssential) this.#confirmEssential();
    this.#isBack(wish);
  }

  #confirmEssential(): void {
    this.#essentialsMissing -= 1;
    if (this.#essentialsMissing > 0) return;
    this.options.onComplete();
    this.#completed();
    this.#completion = null;
  }

  #isBack(wish: DesiredSubscription): void {
    if (this.#returning.delete(wish) && this.#returning.size === 0) this.options.onReturned();
  }

  /** Marks a subscription as unconfirmed. */
  #lack(wish: DesiredSubscription): void {
    if (wish.linger !== null) {
      this.#end(wish);
      return;
    }
    this.#want(wish);
    // Essential subscriptions are awaited even if they were lost before their first confirmation.
    if (wish.isEssential || wish.missingSinceMs === null) this.#returning.add(wish);
    if (wish.missingSinceMs !== null) return;
    wish.missingSinceMs = performance.now();
    this.#missing += 1;
    if (!wish.isEssential) return;
    this.#essentialsMissing += 1;
  }

  #end(wish: DesiredSubscription): void {
    const { address, isEssential } = wish;
    wish.stopLingering();
    wish.stopRetrying();
    wish.tell(new Error('the channel is not wanted any more'));
    this.#wishes.delete(address);
    const wasConfirmed = !wish.isMissing;
    if (isEssential) this.#essentials -= 1;
    if (!wasConfirmed) this.#missing -= 1;
    if (!wasConfirmed && isEssential) this.#essentialsMissing -= 1;
    // One that a round is beginning right now is ended after it.
    const isUnknownToBroker = this.#toBegin.delete(wish) || this.#doubtful.delete(wish);
    if (!isUnknownToBroker && this.#rounds.session !== null) this.#toEnd.set(address, wasConfirmed);
    this.#isBack(wish);
    this.#rounds.plan();
  }

  async #endSome(session: Session): Promise<void> {
    const addresses = takeFirst(this.#toEnd, this.options.coalesceMax).map(([address]) => address);
    if (addresses.length === 0) return;
    await session.unsubscribe(addresses);
    this.#progressAtMs = performance.now();
  }

  async #beginSome(session: Session): Promise<void> {
    if (session !== this.#rounds.session) return;
    const wishes =
      this.#toBegin.size > 0
        ? takeFirst(this.#toBegin, this.options.coalesceMax).map(([wish]) => wish)
        : takeFirst(this.#doubtful, 1).map(([wish]) => wish);
    if (wishes.length === 0) return;
    this.#beginning = wishes;
    const refused = new Set(await session.subscribe(wishes.map(({ address }) => address)));
    if (session !== this.#rounds.session) return;
    this.#beginning = [];
    this.#progressAtMs = performance.now();
    for (const { address } of wishes) this.#suspects.clear(address);
    for (const wish of wishes) {
      if (this.#wishes.get(wish.address) !== wish) continue;
      if (refused.has(wish.address)) this.#refuse(wish);
      else this.#confirm(wish);
    }
  }

  #refuse(wish: DesiredSubscription): void {
    wish.tell(refusal());
    this.options.onRefused(wish.address);
    if (wish.isEssential) return;
    this.#missing -= 1;
    wish.stopLingering();
    wish.stopRetrying();
    this.#wishes.delete(wish.address);
    this.#isBack(wish);
  }
}

const refusal = (): Error => new Error('the broker refuses the subscription');

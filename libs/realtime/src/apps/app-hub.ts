import type { App } from '@carillon/app-registry';
import type { Subscriber } from '../subscriber/subscriber.js';
import type { AppTap } from '../tap.js';
import type { AppMeters } from '../metrics.js';
import { TokenHolders } from '../users/token-holders.js';
import { UserIndex } from '../users/user-index.js';
import { rulesOf, type AppRules } from './app-rules.js';
import type { LocalChannel } from '../channels/local-channel.js';
import { AppendThrottles } from '../appends/append-throttles.js';
import { AppPatterns } from '../patterns/app-patterns.js';
import { Roster } from '../state/roster.js';

/** State of one app in this process: its connections, channels and users. */
export class AppHub {
  /** Receives events of connections and channels of the app; null if none is observing. */
  tap: AppTap | null = null;
  readonly channels = new Map<string, LocalChannel>();
  /** Channels without subscribers in this process whose events are still delivered to it. */
  readonly lingering = new Set<string>();
  readonly patterns = new AppPatterns();
  readonly pacings = new AppendThrottles();
  /** Connections by user, for events sent to users. */
  readonly users = new UserIndex();
  /** Connections by signed-in user, for terminating a user's connections. */
  readonly signedIn = new UserIndex();
  /** Connections by capability token, for revocations. */
  readonly tokens = new TokenHolders();
  /** Numbers of connections with a user id, and of those whose sign-in had metadata. */
  authenticated = 0;
  withMeta = 0;
  /** Watching connections by watched user. */
  readonly watchers = new UserIndex();
  /** The state of watched users as known to their watchers. */
  readonly watched = new Roster();
  /** Watchers that have not received the initial watchlist yet. They do not receive individual changes meanwhile. */
  readonly newWatchers = new Set<Subscriber>();
  readonly #subscribers = new Map<string, Subscriber>();
  #app: App;
  #rules: AppRules;

  constructor(
    app: App,
    readonly meters: AppMeters,
  ) {
    this.#app = app;
    this.#rules = rulesOf(app);
  }

  get appId(): string {
    return this.#app.id;
  }

  get app(): App {
    return this.#app;
  }

  get rules(): AppRules {
    return this.#rules;
  }

  /** Applies the current record of the app. A changed secret applies to new signatures; sockets stay open. */
  update(app: App): void {
    this.#app = app;
    this.#rules = rulesOf(app);
  }

  /** Number of open connections. */
  get size(): number {
    return this.#subscribers.size;
  }

  get subscribers(): Iterable<Subscriber> {
    return this.#subscribers.values();
  }

  subscriber(socketId: string): Subscriber | null {
    return this.#subscribers.get(socketId) ?? null;
  }

  add(subscriber: Subscriber): void {
    this.#subscribers.set(subscriber.id, subscriber);
  }

  remove(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber.id);
  }

  /** Whether messages of a channel are retained in this process for recovery. */
  remembers(name: string): boolean {
    return this.channels.has(name) || this.lingering.has(name);
  }

  /** Whether the app has no state in this process, including channels retained for recovery. */
  get isEmpty(): boolean {
    return this.isDeserted && this.lingering.size === 0;
  }

  /** Whether the app has no connections in this process, including closed ones whose cleanup is pending. */
  get isDeserted(): boolean {
    if (this.#subscribers.size > 0 || this.channels.size > 0) return false;
    if (this.tokens.size > 0 || this.patterns.isWanted) return false;
    return this.users.size === 0 && this.signedIn.size === 0 && this.watchers.size === 0;
  }
}

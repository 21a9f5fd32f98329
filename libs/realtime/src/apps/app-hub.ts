import type { App } from '@carillon/app-registry';
import type { Subscriber } from '../subscriber/subscriber.js';
import type { AppTap } from '../tap.js';
import type { AppMeters } from '../metrics.js';
import { TokenHolders } from '../users/token-holders.js';
import { UserIndex } from '../users/user-index.js';
import { rulesOf, type AppRules } from './app-rules.js';
import type { LocalChannel } from '../channels/local-channel.js';
import { Pacings } from '../appends/pacings.js';
import { AppPatterns } from '../patterns/app-patterns.js';
import { Roster } from '../state/roster.js';

/** Everything of one app in this process: its connections, channels and users. */
export class AppHub {
  /** Receives what happens to connections and channels of the app; null: nobody observes it. */
  tap: AppTap | null = null;
  readonly channels = new Map<string, LocalChannel>();
  /** Names of channels that nobody here has any more, and of which everything still comes here. */
  readonly lingering = new Set<string>();
  readonly patterns = new AppPatterns();
  readonly pacings = new Pacings();
  /** Whom connections are, for events sent to users. */
  readonly users = new UserIndex();
  /** Whom connections are signed in as, for those who end connections. */
  readonly signedIn = new UserIndex();
  /** Which connections hold a capability token, for revocations. */
  readonly tokens = new TokenHolders();
  /** Connections with a user id, and those whose sign-in brought `meta`. */
  authenticated = 0;
  withMeta = 0;
  /** Who watches whom. */
  readonly watchers = new UserIndex();
  /** What watchers know of those they watch. */
  readonly watched = new Roster();
  /** Who watches and has not been told yet who is there: of changes meanwhile it is not told by themselves. */
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

  /** Takes the app as it is now. A changed secret counts for new signatures; sockets stay. */
  update(app: App): void {
    this.#app = app;
    this.#rules = rulesOf(app);
  }

  /** Open connections. */
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

  /** Whether what comes of a channel is kept here for who comes back. */
  remembers(name: string): boolean {
    return this.channels.has(name) || this.lingering.has(name);
  }

  /** Whether nothing of the app is left here, not even what is kept for who comes back. */
  get isEmpty(): boolean {
    return this.isDeserted && this.lingering.size === 0;
  }

  /** Whether nobody of the app is here, not even of connections whose end is being worked on. */
  get isDeserted(): boolean {
    if (this.#subscribers.size > 0 || this.channels.size > 0) return false;
    if (this.tokens.size > 0 || this.patterns.isWanted) return false;
    return this.users.size === 0 && this.signedIn.size === 0 && this.watchers.size === 0;
  }
}

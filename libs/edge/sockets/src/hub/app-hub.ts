import type { App } from '@carillon/app-registry';
import type { Connection } from '../connection/connection.js';
import type { AppMeters } from '../metrics.js';
import { TokenHolders } from '../users/token-holders.js';
import { UserIndex } from '../users/user-index.js';
import { rulesOf, type AppRules } from './app-rules.js';
import type { LocalChannel } from './local-channel.js';
import { Roster } from './roster.js';

/** Everything of one app in this process: its connections, channels and users. */
export class AppHub {
  readonly channels = new Map<string, LocalChannel>();
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
  readonly newWatchers = new Set<Connection>();
  readonly #connections = new Map<string, Connection>();
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
    return this.#connections.size;
  }

  get connections(): Iterable<Connection> {
    return this.#connections.values();
  }

  connection(socketId: string): Connection | null {
    return this.#connections.get(socketId) ?? null;
  }

  add(connection: Connection): void {
    this.#connections.set(connection.id, connection);
  }

  remove(connection: Connection): void {
    this.#connections.delete(connection.id);
  }

  /** Whether nothing of the app is left here, not even of connections whose end is being worked on. */
  get isEmpty(): boolean {
    if (this.#connections.size > 0 || this.channels.size > 0) return false;
    if (this.tokens.size > 0) return false;
    return this.users.size === 0 && this.signedIn.size === 0 && this.watchers.size === 0;
  }
}

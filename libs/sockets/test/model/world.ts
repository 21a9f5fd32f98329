import { Place, type Lease } from './place.js';

/** Features of an app. */
export interface AppRules {
  readonly clientEvents: boolean;
  readonly signin: boolean;
  readonly watchlists: boolean;
  readonly counts: boolean;
  readonly maxMembers: number;
}

/** Remainder of a waiting request; it may leave a remainder itself. */
export type Rest = () => Rest | undefined;

/** A request that waits, and those of the same client about the same channel behind it. */
export interface Turn {
  rest: Rest;
  readonly behind: (() => Rest | undefined)[];
}

/** One client as the specification has it. */
export class ModelClient {
  /** Expected frames since the last comparison, in order. */
  readonly heard: string[] = [];
  /** By channel; the presence member, null on other channels. */
  readonly subscriptions = new Map<string, string | null>();
  /** Frames held back per channel until its answer is complete. */
  readonly held = new Map<string, string[]>();
  readonly turns = new Map<string, Turn>();
  signedInAs: string | null = null;
  presenceUser: string | null = null;
  watches: readonly string[] = [];
  /** Null: open. 1006: dropped without a close frame. */
  closeCode: number | null = null;
  /** For its memberships once it has ended. */
  leaseMs = 0;

  constructor(
    readonly app: ModelApp,
    readonly number: number,
  ) {}

  get isOpen(): boolean {
    return this.closeCode === null;
  }

  get user(): string | null {
    return this.signedInAs ?? this.presenceUser;
  }

  hear(line: string): void {
    if (this.isOpen) this.heard.push(line);
  }
}

/** One app: its clients, members and last events. */
export class ModelApp {
  /** All that have not left everything yet, in the order they came. */
  readonly clients = new Set<ModelClient>();
  /** In the order they signed in last. */
  readonly signedIn = new Set<ModelClient>();
  readonly places = new Map<string, Place>();
  readonly online = new Place();
  readonly lastEvents = new Map<string, string>();
  /** Channels whose count has to be sent, and the time of the last one. */
  readonly changed = new Set<string>();
  readonly #toldAtMs = new Map<string, number>();

  constructor(
    readonly id: string,
    readonly rules: AppRules,
    readonly world: World,
  ) {}

  place(channel: string): Place {
    const place = this.places.get(channel) ?? new Place();
    this.places.set(channel, place);
    return place;
  }

  count(channel: string): number {
    return [...this.clients].filter(({ subscriptions }) => subscriptions.has(channel)).length;
  }

  /** Sends to every subscriber but one; held frames keep their order. */
  deliver(channel: string, line: string, except: ModelClient | null): void {
    for (const client of this.clients) {
      if (client === except) continue;
      const held = client.held.get(channel);
      if (held !== undefined) held.push(line);
      else if (client.subscriptions.has(channel)) client.hear(line);
    }
  }

  publish(channel: string, data: string, except: ModelClient | null): void {
    const line = `news ${channel} ${data}`;
    if (/^(private-|presence-)?cache-/.test(channel)) this.lastEvents.set(channel, line);
    if (!channel.startsWith('#server-to-user-')) return this.deliver(channel, line, except);
    for (const client of this.clients)
      if (client !== except && channel === `#server-to-user-${client.user}`) client.hear(line);
  }

  /** Sent in the next turn of the loop, at most once a second. */
  countChanged(channel: string): void {
    if (!this.rules.counts || channel.startsWith('presence-') || this.count(channel) === 0) return;
    this.changed.add(channel);
    this.world.later(`counts ${this.id}`, () => this.tellCounts());
  }

  tellCounts(): void {
    const { nowMs } = this.world;
    for (const channel of this.changed) {
      if (nowMs - (this.#toldAtMs.get(channel) ?? -Infinity) < 1000) continue;
      this.changed.delete(channel);
      this.#toldAtMs.set(channel, nowMs);
      const count = this.count(channel);
      if (count > 0)
        this.deliver(channel, `subscription_count ${channel} {"subscription_count":${count}}`, null);
    }
  }
}

/** A model of the sockets: the frames that each client must receive, independent of the implementation. */
export class World {
  nowMs = 0;
  readonly apps = new Map<string, ModelApp>();
  /** All that ever came. */
  readonly clients: ModelClient[] = [];
  readonly #leases: { readonly lease: Lease; readonly end: (lease: Lease) => void }[] = [];
  readonly #later = new Map<string, () => void>();

  /** `leaseMs`: how long a member outlives an abrupt end. */
  constructor(readonly leaseMs: number) {}

  app(id: string): ModelApp {
    const app = this.apps.get(id);
    if (app === undefined) throw new Error(id);
    return app;
  }

  connect(app: string): ModelClient {
    const client = new ModelClient(this.app(app), this.clients.length);
    client.app.clients.add(client);
    this.clients.push(client);
    return client;
  }

  get open(): readonly ModelClient[] {
    return this.clients.filter(({ isOpen }) => isOpen);
  }

  /** A lease; `end` runs unless it was cancelled. */
  lease(ms: number, end: (lease: Lease) => void): Lease | null {
    if (ms === 0) return null;
    const lease = { endsAtMs: this.nowMs + ms };
    this.#leases.push({ lease, end });
    return lease;
  }

  /** In the next turn of the loop, once for the same thing. */
  later(what: string, work: () => void): void {
    if (!this.#later.has(what)) this.#later.set(what, work);
  }

  /** The loop turns until nothing is left to do. */
  settle(): void {
    for (const [what, work] of this.#later) {
      this.#later.delete(what);
      work();
    }
  }

  wait(ms: number): void {
    this.nowMs += ms;
    for (const { lease, end } of this.#leases.splice(0)) {
      if (lease.endsAtMs <= this.nowMs) end(lease);
      else this.#leases.push({ lease, end });
    }
    for (const app of this.apps.values()) app.tellCounts();
  }
}

import { MemoryPresence, type PresenceChange } from '@carillon/presence';
import type { Action, Plan } from '../../plan/plan.js';
import type { World } from '../../run/core.js';
import { appAt, type Env } from '../../run/env.js';

const LEASE_MS = 15_000;
/** A lease ends at most this much later than it should. */
const LATE_MS = 5000;
/** Drift of the clock, at most, over a lease. */
const EXACT_MS = 20;
const USERS = 4;

interface Connection {
  readonly appId: string;
  readonly channel: string;
  readonly userId: string;
  readonly socketId: string;
}

interface ShadowUser {
  readonly sockets: Set<string>;
  /** When the lease ends; null: it has a connection, or none at all. */
  leaseEndsAtMs: number | null;
}

interface Watcher {
  readonly place: string;
  readonly members: Map<string, string>;
  serial: number;
}

/** Clients that join, leave, are lost and come back at one node, whose leases run on simulated time. */
export class PresenceWorld implements World {
  readonly #connections = new Map<string, Connection>();
  readonly #users = new Map<string, ShadowUser>();
  /** Users that are present by the frames, by place. */
  readonly #told = new Map<string, Set<string>>();
  readonly #watchers: Watcher[] = [];
  #presence: MemoryPresence | null = null;
  #sockets = 0;
  #nowMs = 0;

  constructor(
    private readonly env: Env,
    private readonly plan: Plan,
  ) {}

  started(node: number): void {
    if (node !== 0) return;
    const { simulation } = this.env;
    const maxLeases = this.plan.capacity ?? undefined;
    this.#presence = new MemoryPresence({
      onObserverFault: (error) => simulation.fail(error),
      ...(maxLeases === undefined ? {} : { maxLeases }),
    });
    this.#presence.observe((change) => this.#changed(change));
  }

  killed(): void {
    throw new Error('the node of this core is not killed');
  }

  act({ name, args }: Action): void {
    const [app = 0, channel = 0, user = 0, socket = 0] = args;
    const place = { appId: appAt(app), channel: `presence-${channel % this.plan.channels}` };
    const { simulation, network } = this.env;
    simulation.deliver(0, network.latencyMs(), name, () => {
      if (name === 'join')
        void this.#join({ ...place, userId: `u${user % USERS}`, socketId: `${(this.#sockets += 1)}.1` });
      else if (name === 'watch') void this.#watch(place);
      else {
        const all = [...this.#connections.values()];
        const one = all[socket % Math.max(1, all.length)];
        if (one !== undefined) void this.#of(name, one, user);
      }
    });
  }

  async finish(): Promise<void> {
    for (const [name, told] of this.#told) {
      const [appId = '', channel = ''] = name.split('/');
      const roster = ((await this.#presence?.members({ appId, channel })) ?? [])
        .map(({ userId }) => userId)
        .sort();
      const live = [...this.#users]
        .filter(([key, { sockets }]) => key.startsWith(`${name}/`) && sockets.size > 0)
        .map(([key]) => key.slice(name.length + 1))
        .sort();
      if (roster.join() !== live.join())
        this.#report('no-ghost', 'G5', `${name}: ${live.join()}`, roster.join());
      if ([...told].sort().join() !== roster.join())
        this.#report(
          'roster-live-or-leased',
          'G6',
          `frames of ${name}: ${roster.join()}`,
          [...told].sort().join(),
        );
    }
    for (const { place, members } of this.#watchers) {
      const told = [...(this.#told.get(place) ?? [])].sort().join();
      const seen = [...members.keys()].sort().join();
      if (seen !== told) this.#report('snapshot-and-frames', 'G6', `watcher of ${place}: ${told}`, seen);
    }
  }

  async #join(connection: Connection): Promise<void> {
    const shadow = this.#shadow(connection);
    this.#connections.set(connection.socketId, connection);
    shadow.sockets.add(connection.socketId);
    shadow.leaseEndsAtMs = null;
    const outcome = await this.#presence?.join({ ...connection, userInfoText: '{}' }, Infinity);
    if (outcome?.kind === 'joined')
      this.#mustBeThose(
        connection,
        outcome.members.map(({ userId }) => userId),
      );
  }

  async #of(name: string, connection: Connection, info: number): Promise<void> {
    if (name === 'update') {
      await this.#presence?.update({ ...connection, userInfoText: JSON.stringify({ info }) });
      return;
    }
    const shadow = this.#shadow(connection);
    const leaseMs = name === 'lose' ? LEASE_MS : 0;
    this.#connections.delete(connection.socketId);
    shadow.sockets.delete(connection.socketId);
    if (shadow.sockets.size === 0) shadow.leaseEndsAtMs = this.#elapsedMs + leaseMs;
    await this.#presence?.leave(connection, leaseMs, name === 'lose' ? 'connection_lost' : 'left');
  }

  async #watch(place: { readonly appId: string; readonly channel: string }): Promise<void> {
    const view = await this.#presence?.look(place);
    if (view === undefined) return;
    const members = new Map(view.members.map(({ userId, userInfoText }) => [userId, userInfoText]));
    this.#watchers.push({ place: `${place.appId}/${place.channel}`, members, serial: view.serial });
  }

  #changed(change: PresenceChange): void {
    const place = `${change.appId}/${change.channel}`;
    const told = this.#told.get(place) ?? new Set();
    this.#told.set(place, told);
    const userId = change.kind === 'removed' ? change.userId : change.member.userId;
    this.#mustBeInTurn(change, told, userId);
    if (change.kind === 'added') told.add(userId);
    if (change.kind === 'removed') told.delete(userId);
    for (const watcher of this.#watchers)
      if (watcher.place === place && change.serial > watcher.serial) {
        watcher.serial = change.serial;
        if (change.kind === 'removed') watcher.members.delete(userId);
        else watcher.members.set(userId, change.member.userInfoText);
      }
  }

  #mustBeInTurn({ kind, appId, channel }: PresenceChange, told: ReadonlySet<string>, userId: string): void {
    const name = `${userId} of ${appId}/${channel}`;
    if (kind === 'added' && told.has(userId))
      this.#report('alternating', 'G6', `${name} removed before it is added`, 'added twice');
    if (kind !== 'added' && !told.has(userId))
      this.#report('alternating', 'G6', `${name} added before`, kind);
    const shadow = this.#users.get(`${appId}/${channel}/${userId}`);
    if (shadow === undefined) return this.#report('apps-apart', 'G11', `nobody known as ${name}`, kind);
    if (kind !== 'removed') return;
    if (shadow.sockets.size > 0) this.#report('nobody-removed', 'G5', `${name} present`, 'removed');
    const earlyMs = (shadow.leaseEndsAtMs ?? 0) - this.#elapsedMs;
    // At the bound on leases removal is immediate.
    if (earlyMs > EXACT_MS && this.plan.capacity === null)
      this.#report('nobody-removed', 'G5', `${name} until its lease ends`, `${Math.round(earlyMs)} ms early`);
  }

  check(): void {
    const nowMs = this.#elapsedMs;
    const isHeldUp = this.env.simulation.isFrozen(0) || this.plan.fault === 'process-freeze';
    if (isHeldUp || nowMs - this.#nowMs < 1000) return;
    this.#nowMs = nowMs;
    for (const [key, { sockets, leaseEndsAtMs }] of this.#users) {
      const [app = '', channel = '', userId = ''] = key.split('/');
      const isTold = this.#told.get(`${app}/${channel}`)?.has(userId) === true;
      if (isTold && sockets.size === 0 && leaseEndsAtMs !== null && nowMs > leaseEndsAtMs + LATE_MS)
        this.#report('no-ghost', 'G5', `${key} removed by ${leaseEndsAtMs + LATE_MS} ms`, 'still present');
    }
  }

  /** The members that a joiner is shown have a connection or a lease. */
  #mustBeThose({ appId, channel }: Connection, members: readonly string[]): void {
    for (const userId of members) {
      const shadow = this.#users.get(`${appId}/${channel}/${userId}`);
      const isThere =
        shadow !== undefined &&
        (shadow.sockets.size > 0 || (shadow.leaseEndsAtMs ?? 0) + LATE_MS >= this.#elapsedMs);
      if (!isThere && this.plan.fault !== 'process-freeze')
        this.#report(
          'roster-live-or-leased',
          'G5',
          `${userId} of ${appId}/${channel} absent`,
          'in the snapshot',
        );
    }
    for (const [key, { sockets }] of this.#users)
      if (
        key.startsWith(`${appId}/${channel}/`) &&
        sockets.size > 0 &&
        !members.includes(key.split('/')[2] ?? '')
      )
        this.#report('roster-live-or-leased', 'G5', `${key} in the snapshot`, 'absent');
  }

  get #elapsedMs(): number {
    const { simulation } = this.env;
    return simulation.inside(0, () => simulation.elapsedMs);
  }

  #shadow({ appId, channel, userId }: Connection): ShadowUser {
    const key = `${appId}/${channel}/${userId}`;
    const shadow = this.#users.get(key) ?? { sockets: new Set<string>(), leaseEndsAtMs: null };
    this.#users.set(key, shadow);
    return shadow;
  }

  #report(invariant: string, promise: string, expected: string, actual: string): void {
    this.env.report({ invariant, promise, expected, actual });
  }
}

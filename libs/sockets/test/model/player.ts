import { expect } from 'vitest';
import type { Client } from '../room/client.js';
import { Hold } from '../room/ports.js';
import { eventually, Room, turn } from '../room/room.js';
import { record } from '../samples.js';
import type { ManualClock } from './clock.js';
import { line, settled } from './lines.js';
import type { Action, Step } from './program.js';
import { answer, ask, end } from './requests.js';
import { ModelApp, World, type AppRules, type ModelClient } from './world.js';

const LEASE_MS = 30_000;

const RULES: Readonly<Record<string, AppRules>> = {
  shop: { clientEvents: true, signin: true, watchlists: true, counts: true, maxMembers: 3 },
  other: { clientEvents: false, signin: false, watchlists: false, counts: false, maxMembers: Infinity },
};

const policy = ({ clientEvents, signin, watchlists, counts, maxMembers }: AppRules): object => ({
  features: {
    enable_client_messages: clientEvents,
    enable_user_authentication: signin,
    enable_watchlist_events: watchlists,
    enable_subscription_count_events: counts,
  },
  limits: maxMembers === Infinity ? {} : { max_presence_members_per_channel: maxMembers },
});

/** Carries out a program on the model and on a room, and compares them after every step. */
export class Player {
  readonly world = new World(LEASE_MS);
  readonly #clients = new Map<ModelClient, Client>();
  /** Holds of pending store requests, by request. */
  readonly #asked = new Map<string, Hold>();
  readonly #holds = new Map<ModelClient, Map<string, Hold>>();
  #published = 0;

  private constructor(
    private readonly room: Room,
    private readonly clock: ManualClock,
  ) {
    for (const [id, rules] of Object.entries(RULES))
      this.world.apps.set(id, new ModelApp(id, rules, this.world));
    room.presence.afterJoin = ({ channel, socketId }) => this.#take(`members ${channel} ${socketId}`);
    room.lastEvents.beforeRead = (channel) => this.#take(`lookup ${channel}`);
    room.lastEvents.afterRead = (channel) => this.#take(`answer ${channel}`);
  }

  static async open(clock: ManualClock): Promise<Player> {
    const room = await Room.open({
      env: {
        PRESENCE_UNGRACEFUL_TIMEOUT_SECONDS: String(LEASE_MS / 1000),
        // Leaves of one turn are processed in order.
        CLEANUP_WORKER_THREADS: '1',
      },
      apps: Object.entries(RULES).map(([id, rules]) =>
        record(policy(rules), { id, key: `${id}-key`, secret: `${id}-secret` }),
      ),
      presenceClock: clock,
    });
    return new Player(room, clock);
  }

  async do(step: Step): Promise<void> {
    await this.#carryOut(step);
    this.world.settle();
    await this.#compare();
  }

  /** Ends all clients and answers all store requests. */
  async end(): Promise<void> {
    for (const [index] of this.world.open.entries())
      await this.do(index % 2 === 0 ? { kind: 'drop', who: 0 } : closing(0));
    while (this.#waiting().length > 0) await this.do({ kind: 'answer', which: 0 });
    await this.do({ kind: 'wait', ms: LEASE_MS + 1 });
    await this.do({ kind: 'wait', ms: LEASE_MS + 1 });
    await this.room.expectNothingLeft();
  }

  async close(): Promise<void> {
    for (const client of this.#clients.values()) client.drop();
    for (const holds of this.#holds.values()) for (const hold of holds.values()) hold.release();
    await this.room.close();
  }

  async #carryOut(step: Step): Promise<void> {
    const { world, room } = this;
    switch (step.kind) {
      case 'connect': {
        const model = world.connect(step.app);
        this.#clients.set(model, await room.connect({ app: step.app }));
        return;
      }
      case 'ask':
        return this.#ask(this.#client(step.who), step);
      case 'drop':
        return this.#drop(this.#client(step.who));
      case 'publish':
        return this.#publish(step);
      case 'kick':
        return this.#kick(step);
      case 'wait':
        world.wait(step.ms);
        this.clock.wait(step.ms);
        return;
      case 'answer':
        return this.#answer(step.which);
    }
  }

  async #ask(
    model: ModelClient | undefined,
    { actions, closes }: Extract<Step, { kind: 'ask' }>,
  ): Promise<void> {
    if (model === undefined) return;
    const client = this.#real(model);
    const { socket } = client.raw.connection;
    socket.cork();
    for (const [index, action] of actions.entries()) {
      // One store at a time is slow: which request of a bundle it would meet is not to be known.
      const one = index > 0 && 'slow' in action ? { ...action, slow: null } : action;
      const waited = 'channel' in one && model.turns.has(one.channel);
      ask(model, one);
      if ('slow' in one && one.slow !== null && !waited && model.turns.has(one.channel))
        this.#hold(model, one.channel, one.slow);
      send(client, model, one);
    }
    if (closes) client.close();
    socket.uncork();
    if (!closes) return void (await client.heard());
    end([model], 1000);
    await client.untilClose();
    await eventually(() => this.room.connected === this.world.open.length);
  }

  async #drop(model: ModelClient | undefined): Promise<void> {
    if (model === undefined) return;
    end([model], 1006);
    this.#real(model).drop();
    await eventually(() => this.room.connected === this.world.open.length);
  }

  async #publish(step: Extract<Step, { kind: 'publish' }>): Promise<void> {
    const except = step.except === null ? null : (this.#client(step.except) ?? null);
    const exceptSocketId = except === null ? null : this.#real(except).socketId;
    for (let time = 0; time < step.times; time += 1) {
      const data = `${(this.#published += 1)}`;
      this.world.app(step.app).publish(step.channel, data, except);
      await this.room.publish(step.channel, data, { appId: step.app, exceptSocketId });
    }
  }

  async #kick({ user, comesBack }: Extract<Step, { kind: 'kick' }>): Promise<void> {
    const kicked = [...this.world.app('shop').signedIn].filter(({ signedInAs }) => signedInAs === user);
    const code = comesBack ? 4200 : 4009;
    for (const model of kicked) model.hear(`error ${code}`);
    if (kicked.length > 0) end(kicked, code);
    const { answer: count } = await this.room.broker.ask(
      comesBack ? 'force_reconnect' : 'terminate_user',
      'shop',
      { userId: user },
    );
    expect(count).toBe(kicked.length);
    for (const model of kicked) expect(await this.#real(model).untilClose()).toBe(code);
    await eventually(() => this.room.connected === this.world.open.length);
  }

  async #answer(which: number): Promise<void> {
    const waiting = this.#waiting();
    const one = waiting[which % Math.max(1, waiting.length)];
    if (one === undefined) return;
    const { model, channel, hold } = one;
    this.#holds.get(model)?.delete(channel);
    answer(model, channel);
    hold.release();
    await turn();
  }

  #waiting(): readonly { readonly model: ModelClient; readonly channel: string; readonly hold: Hold }[] {
    return [...this.#holds].flatMap(([model, holds]) =>
      [...holds].map(([channel, hold]) => ({ model, channel, hold })),
    );
  }

  #hold(model: ModelClient, channel: string, slow: string): void {
    const hold = new Hold();
    const who = slow === 'members' ? ` ${this.#real(model).socketId}` : '';
    this.#asked.set(`${slow} ${channel}${who}`, hold);
    const holds = this.#holds.get(model) ?? new Map<string, Hold>();
    this.#holds.set(model, holds.set(channel, hold));
  }

  #take(what: string): Promise<void> | undefined {
    const hold = this.#asked.get(what);
    this.#asked.delete(what);
    return hold?.settled;
  }

  async #compare(): Promise<void> {
    await turn();
    await turn();
    await turn();
    const heard: Record<string, readonly string[]> = {};
    const expected: Record<string, readonly string[]> = {};
    for (const [model, client] of this.#clients) {
      if (model.isOpen) await client.heard();
      const name = `client ${model.number}`;
      expected[name] = settled(model.heard.splice(0));
      // The frames read by a client whose socket was dropped are unknown.
      heard[name] = model.closeCode === 1006 ? expected[name] : settled(client.frames.map(line));
      client.frames.length = 0;
      if (!model.isOpen) this.#clients.delete(model);
    }
    expect(heard).toEqual(expected);
    await this.#compareAnswers();
  }

  async #compareAnswers(): Promise<void> {
    for (const [appId, app] of this.world.apps) {
      const channels = new Set([...app.clients].flatMap(({ subscriptions }) => [...subscriptions.keys()]));
      const counts = Object.fromEntries([...channels].map((channel) => [channel, app.count(channel)]));
      const { answer: list } = await this.room.broker.ask('channels_with_sockets_count', appId, {
        prefix: '',
      });
      expect(Object.fromEntries(list)).toEqual(counts);
      for (const [channel, place] of app.places) {
        const members = await this.room.presence.members({ appId, channel });
        expect(members.map(({ userId }) => userId)).toEqual(place.users);
      }
      const clients = [...app.clients];
      expect(this.room.hub.occupancy.counters(appId)).toEqual({
        connections: clients.length,
        authenticated_connections: clients.filter(({ user }) => user !== null).length,
        users: new Set([...app.signedIn].map(({ signedInAs }) => signedInAs)).size,
        connections_with_meta: 0,
      });
    }
    expect(this.room.faults).toEqual([]);
  }

  #client(who: number): ModelClient | undefined {
    const { open } = this.world;
    return open[who % Math.max(1, open.length)];
  }

  #real(model: ModelClient): Client {
    const client = this.#clients.get(model);
    if (client === undefined) throw new Error(`client ${model.number} has gone`);
    return client;
  }
}

const closing = (who: number): Step => ({ kind: 'ask', who, actions: [], closes: true });

function send(client: Client, model: ModelClient, action: Action): void {
  switch (action.kind) {
    case 'subscribe': {
      const { channel, user, info, isForged } = action;
      const member = channel.startsWith('presence-') ? (user ?? undefined) : undefined;
      const about = client.subscription(channel, member, info === null ? undefined : { n: info });
      return client.send('pusher:subscribe', {
        data: isForged ? { ...about, auth: `${model.app.id}-key:0000` } : about,
      });
    }
    case 'unsubscribe':
      return client.unsubscribe(action.channel);
    case 'event':
      return client.send('client-x', { channel: action.channel, data: model.number });
    case 'signin': {
      const { user, watchlist, isForged } = action;
      if (isForged) client.send('pusher:signin', { data: { auth: 'x', user_data: '{"id":"x"}' } });
      else client.signin(user, { watchlist });
    }
  }
}

import { AppRegistry, openAppStore } from '@carillon/app-registry';
import type { RecoveryPolicy } from '@carillon/channels';
import { MemoryCache } from '@carillon/cache';
import { cacheKeys } from '@carillon/contracts';
import type { AppRecord, Config } from '@carillon/config';
import { type BrokerOutage, LocalBroker } from '@carillon/broker';
import { MemoryPresence, type PresenceClock } from '@carillon/presence';
import {
  ChannelPublisher,
  LivePublisher,
  SequencedPublisher,
  StoredLastEvents,
  type Publication,
} from '@carillon/history-publish';
import { MemoryReplay } from '@carillon/history-positions';
import { MemoryRateLimit, type RateLimit } from '@carillon/rate-limit';
import { Admission, Logger, Metrics, ProcessState, type MemoryReader } from '@carillon/runtime';
import { nativeHandlers, type Socket, UwsHttpAdapter, UwsServer } from '@carillon/uws';
import { NO_WEBHOOKS, type WebhookEvents } from '@carillon/webhooks';
import { expect, onTestFinished } from 'vitest';
import { Hub } from '@carillon/realtime';
import type { Arrival } from '../../src/entrance/arrival.js';
import { SocketsGateway } from '../../src/sockets.gateway.js';
import { Sockets } from '../../src/sockets.js';
import type { Token } from '@carillon/realtime';
import { Connection } from '../../src/connection/connection.js';
import { config, record } from '../samples.js';
import { Client, type ConnectOptions } from './client.js';
import { TestCounts, TestBroker, TestLastEvents, TestPresence, TestQuota } from './ports.js';

export interface RoomOptions {
  /** Overrides of the environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Changes settings that have no environment variable. */
  readonly settings?: (read: Config) => Config;
  /** The app `shop`, in the stored form; every feature on by default. */
  readonly policy?: object;
  readonly apps?: readonly AppRecord[];
  readonly rateLimit?: RateLimit;
  /** Clock of leases; default: the clock of the process. */
  readonly presenceClock?: PresenceClock;
  readonly webhooks?: WebhookEvents;
  /** Mounts another edge before the process listens. */
  readonly beside?: (room: Room, adapter: UwsHttpAdapter) => void;
  /** Memory seen by admission. */
  readonly memory?: MemoryReader;
}

const FEATURES = {
  enable_client_messages: true,
  enable_user_authentication: true,
  enable_watchlist_events: true,
};

/** The gateway, remembering every connection it ever had. */
class RememberingGateway extends SocketsGateway {
  readonly connections: Connection[] = [];

  override handleConnection(socket: Socket<Arrival>): void {
    super.handleConnection(socket);
    if (socket.state instanceof Connection) this.connections.push(socket.state);
  }
}

/** All of one process that sockets work with, on a free port of 127.0.0.1, over the real memory drivers. */
export class Room {
  readonly state = new ProcessState();
  readonly metrics: Metrics;
  readonly broker: TestBroker;
  readonly presence: TestPresence;
  readonly channelCounts = new TestCounts();
  readonly connectionQuota = new TestQuota();
  readonly lastEvents: TestLastEvents;
  readonly publisher: ChannelPublisher;
  readonly replay = new MemoryReplay();
  readonly hub: Hub;
  readonly sockets: Sockets;
  readonly apps: AppRegistry;
  readonly admission: Admission;
  readonly gateway: RememberingGateway;
  /** Lines of the log, and errors thrown by handlers. */
  readonly lines: string[] = [];
  readonly faults: string[] = [];
  port = 0;
  readonly #server = new UwsServer();
  readonly #cache: MemoryCache;
  readonly #adapter: UwsHttpAdapter;
  /** Recovery of the app `shop`; null: off. */
  #recovery: RecoveryPolicy | null = null;

  constructor(settings: Config, apps: AppRegistry, options: RoomOptions) {
    this.apps = apps;
    const log = new Logger('test', 'debug', (level, _, message, fields) => {
      this.lines.push(`${level} ${message} ${JSON.stringify(fields ?? {})}`);
    });
    this.metrics = new Metrics({ prefix: '', port: 6001, log });
    this.broker = new TestBroker(new LocalBroker('node', (where, error) => this.#fault(where, error)));
    this.presence = new TestPresence(
      new MemoryPresence({
        onObserverFault: (error) => this.#fault('presence observer', error),
        ...(options.presenceClock === undefined ? {} : { clock: options.presenceClock }),
      }),
    );
    this.#cache = new MemoryCache({ capacity: 1000, defaultTtlMs: 0, cleanupIntervalMs: 60_000 });
    const stored = new StoredLastEvents({ cache: this.#cache, ttlMs: 3_600_000, maxRecordBytes: 1_000_000 });
    this.lastEvents = new TestLastEvents(stored);
    const live = new LivePublisher({ broker: this.broker, lastEvents: stored, log });
    this.publisher = new ChannelPublisher(
      live,
      null,
      new SequencedPublisher({ replay: this.replay, live, metrics: this.metrics }),
    );
    this.admission = new Admission(settings.http_api.accept_traffic, {
      process: this.state,
      metrics: this.metrics,
      log,
      ...(options.memory === undefined ? {} : { reader: options.memory }),
    });
    this.#adapter = new UwsHttpAdapter(this.#server, {
      onFault: (error, where) => this.#fault(where, error),
    });
    const compress = settings.websocket.compression !== 'disabled';
    const webhooks = options.webhooks ?? NO_WEBHOOKS;
    this.hub = new Hub({
      config: settings,
      admission: this.admission,
      apps,
      broker: this.broker,
      presence: this.presence,
      channelCounts: this.channelCounts,
      connectionQuota: this.connectionQuota,
      streamReads: null,
      commits: null,
      replay: this.replay,
      pastReader: null,
      readTurns: null,
      lastEvents: this.lastEvents,
      sharedStore: this.#cache,
      webhooks,
      metrics: this.metrics,
      log,
      publish: (topic, frame) =>
        void this.#adapter.publish(topic, frame, typeof frame !== 'string', compress),
    });
    this.sockets = new Sockets({
      config: settings,
      hub: this.hub,
      admission: this.admission,
      apps,
      presence: this.presence,
      publisher: this.publisher,
      rateLimit: options.rateLimit ?? new MemoryRateLimit(),
      webhooks,
      cache: this.#cache,
      historyReader: null,
      metrics: this.metrics,
      log,
    });
    this.gateway = new RememberingGateway(this.sockets);
  }

  static async open(options: RoomOptions = {}): Promise<Room> {
    const settings = (options.settings ?? ((read) => read))(config(options.env));
    const apps = new AppRegistry(
      {
        inlineApps: options.apps ?? [record({ features: FEATURES, ...options.policy })],
        registerInlineApps: true,
        cache: settings.app_manager.cache,
        globals: settings,
      },
      { store: await openAppStore('memory') },
    );
    await apps.start();
    const room = new Room(settings, apps, options);
    const shop = await apps.findById('shop');
    room.#recovery = shop === null ? null : room.hub.channels.recovery(shop);
    room.#adapter.socketRoute('/app/:appKey', nativeHandlers(room.gateway));
    options.beside?.(room, room.#adapter);
    const address = await room.#server.listen({ host: '127.0.0.1', port: 0 });
    if (address.kind === 'tcp') room.port = address.port;
    room.state.advance('RUNNING');
    return room;
  }

  connect(options?: ConnectOptions): Promise<Client> {
    return Client.connect(this.port, options);
  }

  /** A server publish, as the HTTP side makes it: the payload is a string. */
  publish(channel: string, data: string, more: Partial<Publication> = {}): unknown {
    return this.publisher.publish({
      appId: 'shop',
      channel,
      event: 'news',
      dataText: JSON.stringify(data),
      userId: null,
      exceptSocketId: null,
      messageId: null,
      isLastEvent: channel.includes('cache-'),
      history: null,
      replay: this.#recovery?.enabled === true ? this.#recovery : null,
      tagsText: null,
      extrasText: null,
      key: null,
      ...more,
    });
  }

  /** The connection of a client. */
  connectionOf({ socketId }: Client): Connection {
    const found = this.gateway.connections.find(({ id }) => id === socketId);
    if (found === undefined) throw new Error(`no connection ${socketId}`);
    return found;
  }

  /** Gives a client's connection a capability token. */
  hold(client: Client, token: Token): void {
    const connection = this.connectionOf(client);
    connection.hub.tokens.hold(connection, token);
  }

  /** Revokes a token as the HTTP side does: written down, then every process is asked. */
  async revoke(jti: string): Promise<void> {
    await this.#cache.set(cacheKeys.revokedToken('shop', jti), 'revoked', 60_000);
    await this.broker.ask('token_revoked', 'shop', { jti, clientId: null });
  }

  /** Connections of all apps. */
  get connected(): number {
    const { occupancy } = this.hub;
    return [...occupancy.appIds()].reduce((sum, appId) => sum + occupancy.counters(appId).connections, 0);
  }

  /** Subscriptions of this process by channel. */
  async counts(prefix = ''): Promise<Readonly<Record<string, number>>> {
    const { answer } = await this.broker.ask('channels_with_sockets_count', 'shop', { prefix });
    return Object.fromEntries(answer);
  }

  async members(channel: string): Promise<readonly string[]> {
    const members = await this.presence.members({ appId: 'shop', channel });
    return members.map(({ userId }) => userId);
  }

  /** The sum of a metric over all its series with these labels. */
  async metric(name: string, labels: Readonly<Record<string, string>> = {}): Promise<number> {
    const samples = await this.metrics.samples();
    const fitting = samples.filter(
      (one) => one.name === name && Object.entries(labels).every(([key, value]) => one.labels[key] === value),
    );
    return fitting.reduce((sum, { value }) => sum + value, 0);
  }

  /** Waits until so many connections are left and the cleanup of closed ones is done. */
  async settled(connections: number): Promise<void> {
    await eventually(() => this.connected === connections);
    await this.hub.settle();
  }

  /** Nothing of any connection is left anywhere. Call when every client has gone. */
  async expectNothingLeft(): Promise<void> {
    await this.settled(0);
    await eventually(() => this.gateway.connections.every(({ openings }) => openings === null));
    expect([...this.hub.occupancy.appIds()]).toEqual([]);
    // Channels with recovery are kept for a while for returning clients.
    const kept = [...this.hub.hubs].flatMap(({ appId, lingering }) =>
      [...lingering].map((name) => `${appId} ${name}`),
    );
    expect([...this.broker.interest].toSorted()).toEqual(kept.toSorted());
    expect(this.broker.mistakes).toEqual([]);
    expect(await this.metric('connected')).toBe(0);
    expect(await this.metric('active_channels')).toBe(0);
    expect(await this.metric('channel_subscriptions_total')).toBe(
      await this.metric('channel_unsubscriptions_total'),
    );
    for (const connection of this.gateway.connections) {
      // Not scheduled, in no channel, signed out and without a token.
      expect([connection.dueTick, connection.subscriptions.size, connection.userId]).toEqual([0, 0, null]);
      expect(connection.hub.tokens.tokenOf(connection)).toBeNull();
    }
    expect(this.faults).toEqual([]);
  }

  async close(): Promise<void> {
    this.sockets.stop();
    this.hub.stop();
    this.#server.close();
    this.admission.stop();
    await Promise.all([
      this.replay.close(),
      this.apps.close(),
      this.presence.close(),
      this.broker.close(),
      this.#cache.close(),
    ]);
  }

  #fault(where: string, error: unknown): void {
    this.faults.push(`${where}: ${error instanceof Error ? String(error.stack) : String(error)}`);
  }
}

/** A room that closes with its test. */
/** The outage of a broker that another node still reaches. */
export const CUT_OFF: BrokerOutage = {
  nodeId: 'here',
  peers: () => ['elsewhere'],
  hostAnswers: async () => true,
};

export async function openRoom(options?: RoomOptions): Promise<Room> {
  const room = await Room.open(options);
  onTestFinished(() => room.close());
  return room;
}

/** Waits for effects of other sockets of this machine. */
export async function eventually(done: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 2000 && !(await done()); tries += 1)
    await new Promise((resolve) => void setTimeout(resolve, 2));
  expect(await done()).toBe(true);
}

/** Lets promises that are settled run on. */
export const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

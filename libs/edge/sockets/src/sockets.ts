import type { AppChange, AppRegistry } from '@carillon/app-registry';
import { Channels } from '@carillon/channels';
import type { Config } from '@carillon/config';
import type { Fabric } from '@carillon/fabric';
import { type ChannelCounts, type ConnectionQuota, type Presence } from '@carillon/presence';
import type { Commits, LastEvents, Publisher } from '@carillon/publishing';
import type { RateLimit } from '@carillon/rate-limit';
import type { Admission, Logger, Metrics, ShutdownContext } from '@carillon/runtime';
import type { HttpRequest, Socket, SocketOptions, UpgradeDecision } from '@carillon/uws';
import type { WebhookEvents } from '@carillon/webhooks';
import { Connection } from './connection/connection.js';
import { Announcements } from './delivery/announcements.js';
import { SocketsListener } from './delivery/answers.js';
import { Delivery } from './delivery/delivery.js';
import { Durable } from './durable/durable.js';
import type { StreamReads } from './durable/stream-reads.js';
import { Outlet } from './delivery/outlet.js';
import { SubscriptionCounts } from './delivery/subscription-counts.js';
import { PendingArrival, type Arrival } from './entrance/arrival.js';
import { Entrance } from './entrance/entrance.js';
import { Reception } from './entrance/reception.js';
import { UpgradeLimit } from './entrance/upgrade-limit.js';
import type { AppHub } from './hub/app-hub.js';
import { ChannelBook } from './hub/channel-book.js';
import { Hubs } from './hub/hubs.js';
import { Looks } from './hub/looks.js';
import type { NativePublish } from './hub/local-channel.js';
import { MemberNews } from './hub/member-news.js';
import { Tally } from './hub/tally.js';
import { CleanupQueue } from './leave/cleanup-queue.js';
import { closeAll } from './leave/closing.js';
import { Isolation } from './leave/isolation.js';
import { endCause } from './leave/departure.js';
import { Leaving } from './leave/leaving.js';
import { attendance } from './attendance.js';
import { SocketOccupancy } from './occupancy.js';
import { cleanupMeters } from './metrics.js';
import { ClientEvents } from './requests/client-event.js';
import { Requests } from './requests/requests.js';
import { Signin } from './requests/signin.js';
import { Subscribe } from './requests/subscribe.js';
import {
  cleanupOptions,
  connectRules,
  heartbeatOptions,
  outletBounds,
  socketOptions,
  upgradeLimitOptions,
} from './settings.js';
import { Heartbeats } from './time/heartbeats.js';
import { Identities } from './users/identities.js';
import { Interests } from './users/interests.js';
import { Watchlists } from './users/watchlists.js';

/** What sockets work with. */
export interface SocketsParts {
  readonly config: Config;
  readonly admission: Admission;
  readonly apps: AppRegistry;
  readonly fabric: Fabric;
  readonly presence: Presence;
  readonly channelCounts: ChannelCounts;
  readonly connectionQuota: ConnectionQuota;
  readonly publisher: Publisher;
  /** Where streams of channels with a history are read, and where claims about them go; null: nowhere. */
  readonly streamReads: StreamReads | null;
  readonly commits: Commits | null;
  readonly lastEvents: LastEvents;
  readonly rateLimit: RateLimit;
  readonly webhooks: WebhookEvents;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** Sends to every socket of a native topic. */
  readonly publish: NativePublish;
}

/** Clients of a process that is cut off are sent away over this time: all at once they would fall upon the others. */
const SENDING_AWAY_MS = 5000;

/**
 * The sockets of one process, composed: what happens to a connection from its upgrade to the end of what it left
 * behind. Everything here runs on the socket loop.
 */
export class Sockets {
  readonly options: SocketOptions;
  readonly occupancy: SocketOccupancy;
  readonly #hubs: Hubs;
  readonly #outlet: Outlet;
  readonly #heartbeats: Heartbeats;
  readonly #entrance: Entrance;
  readonly #reception: Reception;
  readonly #requests: Requests;
  readonly #cleanup: CleanupQueue<Connection>;
  readonly #counts: SubscriptionCounts;
  readonly #interests: Interests;
  readonly #quota: ConnectionQuota | null;
  readonly #durable: Durable;
  readonly #isolation: Isolation;
  readonly #announcements: Announcements;
  readonly #looks: Looks;

  constructor(private readonly parts: SocketsParts) {
    const { config, admission, apps, fabric, presence, channelCounts, publisher } = parts;
    const { lastEvents, webhooks, metrics, log } = parts;
    const onTrouble = (what: string, error: unknown): void => log.warn('could not be done', { what, error });
    this.options = socketOptions(config);
    this.#hubs = new Hubs(metrics);
    this.occupancy = new SocketOccupancy(this.#hubs);
    const hubs = this.#hubs;
    const outlet = new Outlet(outletBounds(config), {
      dropped: ({ hub, id }) => {
        hub.meters.dropped.add();
        log.warn('frame dropped for a slow consumer', { app_id: hub.appId, socket_id: id });
      },
    });
    this.#outlet = outlet;
    const heartbeats = new Heartbeats(heartbeatOptions(config), outlet);
    this.#heartbeats = heartbeats;
    const channels = new Channels(config);
    const delivery = new Delivery(hubs, outlet);
    const durable = new Durable({ ...parts, hubs, channels, delivery, onTrouble });
    this.#durable = durable;
    const isAlone = config.adapter.driver === 'local';
    const book = new ChannelBook(hubs, fabric, outlet, parts.publish, durable.delivery, isAlone);
    const announcements = new Announcements({ fabric, onTrouble });
    this.#announcements = announcements;
    const interests = new Interests(fabric, onTrouble);
    this.#interests = interests;
    const identities = new Identities(interests);
    const onDoubt = (hub: AppHub): void => this.#looks.later(hub);
    const watchlists = new Watchlists({ interests, presence, announcements, outlet, onDoubt });
    const subscriptionCounts = new SubscriptionCounts({ counts: channelCounts, announcements, onTrouble });
    this.#counts = subscriptionCounts;
    this.#looks = new Looks({ hubs, presence, watchlists, counts: channelCounts, onTrouble });
    const looks = this.#looks;
    const tally = new Tally({ hubs, apps, counts: channelCounts, subscriptionCounts, webhooks, onTrouble });
    book.observe((channel) => tally.changed(channel));
    webhooks.attend(attendance(channelCounts, presence));
    const leaseMs = config.presence.ungraceful_timeout_seconds * 1000;
    const leaving = new Leaving({ book, presence, identities, watchlists, leaseMs, onTrouble });
    const { fallbacks, failures } = cleanupMeters(metrics, () => this.#cleanup.size);
    this.#cleanup = new CleanupQueue(
      cleanupOptions(config),
      async (connection) => {
        await leaving.everything(connection);
        hubs.release(connection.hub);
      },
      {
        lost: (error) => {
          failures.add();
          onTrouble('cleanup', error);
        },
        full: () => fallbacks.add(),
      },
    );
    this.#isolation = new Isolation({
      after: startTimer,
      closeAll: (signal) => {
        log.warn('cut off from the other processes, sending clients away', { connections: hubs.connections });
        const isOver = (): boolean => signal.aborted;
        const waysOut = { closingMs: SENDING_AWAY_MS, reason: 'cut_off' as const };
        return closeAll(hubs, outlet, { ...waysOut, signal, isOver });
      },
    });
    const limit = upgradeLimitOptions(config);
    // A process that is alone counts its own, without asking anybody.
    this.#quota = isAlone ? null : parts.connectionQuota;
    this.#entrance = new Entrance({
      admission,
      apps,
      hubs,
      heartbeats,
      limit: limit === null ? null : new UpgradeLimit(limit, parts.rateLimit, metrics),
      rules: connectRules(config),
      isolation: this.#isolation,
      quota: this.#quota,
    });
    this.#reception = new Reception({
      admission,
      hubs,
      heartbeats,
      outlet,
      metrics,
      log,
      maxConnections: config.max_connections,
      message: (socket, frame) => this.message(socket, frame),
      quota: this.#quota,
      activityTimeoutSeconds: config.activity_timeout,
    });
    this.#requests = new Requests({
      outlet,
      leaving,
      onTrouble,
      subscribe: new Subscribe({
        channels,
        book,
        outlet,
        presence,
        lastEvents,
        webhooks,
        identities,
        leaving,
        looks,
        onTrouble,
      }),
      clientEvents: new ClientEvents({ channels, outlet, publisher, webhooks, onTrouble }),
      signin: new Signin({ outlet, presence, identities, watchlists, leaving, onTrouble }),
    });
    const isolation = this.#isolation;
    const local = { hubs, delivery, durable: durable.delivery, outlet, apps };
    fabric.listen(new SocketsListener({ ...local, isolation, announcements, looks }));
    const news = new MemberNews({ hubs, announcements, watchlists, webhooks });
    presence.observe(
      (change) => {
        news.changed(change);
        durable.presenceChanged(change);
      },
      () => looks.everywhere(),
    );
    apps.onChange((change) => this.#appChanged(change));
    heartbeats.start();
  }

  upgrade(request: HttpRequest): UpgradeDecision<Arrival> | Promise<UpgradeDecision<Arrival>> {
    return this.#entrance.upgrade(request);
  }

  open(socket: Socket<Arrival>): void {
    this.#reception.open(socket);
  }

  message({ state }: Socket<Arrival>, data: ArrayBuffer): void {
    if (state instanceof PendingArrival) return state.hold(data);
    if (!(state instanceof Connection) || !state.isOpen) return;
    state.hub.meters.received(data.byteLength);
    state.activeTick = this.#heartbeats.tick;
    this.#requests.take(state, data);
  }

  /** A native ping or pong. */
  active({ state }: Socket<Arrival>): void {
    if (state instanceof Connection) state.activeTick = this.#heartbeats.tick;
  }

  drained({ state }: Socket<Arrival>): void {
    if (state instanceof Connection) this.#outlet.drained(state);
  }

  /** The native library holds as much for the socket as may be held at all. */
  dropped({ state }: Socket<Arrival>): void {
    if (state instanceof Connection) this.#outlet.dropped(state);
  }

  closed({ state }: Socket<Arrival>, code: number): void {
    if (!(state instanceof Connection) || !this.#hubs.dismiss(state)) return;
    state.closedWith = code;
    state.lane = null;
    this.#heartbeats.end(state);
    const { hub, id } = state;
    if (state.holdsPlace) this.#quota?.release(hub.appId);
    const cause = endCause(state);
    if (cause === 'slow_consumer') hub.meters.slowDisconnects.add();
    const { log } = this.parts;
    if (log.enabled('debug')) log.debug('disconnected', { app_id: hub.appId, socket_id: id, cause, code });
    this.#cleanup.add(state);
  }

  /** Closes every connection, spread over the time there is. */
  closeAll(context: ShutdownContext): Promise<void> {
    this.#isolation.end();
    return closeAll(this.#hubs, this.#outlet, context);
  }

  /** Finishes what closed connections left behind. */
  async settle(): Promise<void> {
    await this.#cleanup.empty();
  }

  /** Stops every timer. */
  stop(): void {
    this.#heartbeats.stop();
    this.#counts.stop();
    this.#interests.stop();
    this.#durable.stop();
    this.#isolation.end();
    this.#announcements.stop();
    this.#looks.stop();
  }

  /** Connections of an app that is gone or disabled are told so; every other change counts for what comes next. */
  #appChanged({ appId, app }: AppChange): void {
    const hub = this.#hubs.find(appId);
    if (hub === null) return;
    if (app?.enabled === true) return hub.update(app);
    const reason = app === null ? 'app_does_not_exist' : 'app_disabled';
    for (const connection of hub.connections) this.#outlet.close(connection, reason);
  }
}

function startTimer(ms: number, then: () => void): () => void {
  const timer = setTimeout(then, ms).unref();
  return () => clearTimeout(timer);
}

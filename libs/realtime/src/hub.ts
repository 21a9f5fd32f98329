import type { AppChange, AppRegistry } from '@carillon/app-registry';
import type { Cache } from '@carillon/cache';
import { Channels } from '@carillon/channels';
import type { Config } from '@carillon/config';
import type { Broker } from '@carillon/broker';
import type { ReadTurns } from '@carillon/history-reader';
import type { ChannelCounts, ConnectionQuota, Presence } from '@carillon/presence';
import type { Commits, LastEvents } from '@carillon/history-publish';
import type { Replay } from '@carillon/history-positions';
import {
  type Admission,
  type Logger,
  LoopShare,
  type Metrics,
  type ShutdownContext,
} from '@carillon/runtime';
import type { WebhookEvents } from '@carillon/webhooks';
import { Hubs } from './apps/hubs.js';
import type { NativePublish } from './channels/topic.js';
import { Arrivals } from './delivery/arrivals.js';
import { HttpTopics } from './delivery/http-topics.js';
import { HubListener } from './delivery/listener.js';
import { Outlet } from './delivery/outlet.js';
import type { StreamReads } from './durable/stream-reads.js';
import { CometRelay } from './entry/comet-relay.js';
import { ConnectionSlots } from './entry/connection-slots.js';
import type { Joins } from './joining/joins.js';
import { Subscribing } from './joining/subscribing.js';
import { Cleanup } from './leave/cleanup.js';
import { closeAll } from './leave/closing.js';
import { endCause } from './leave/departure.js';
import { type Isolation, isolationOf } from './leave/isolation.js';
import type { Leaving } from './leave/leaving.js';
import { Outages } from './leave/outages.js';
import { ConnectionTakeovers } from './leave/connection-takeovers.js';
import { SocketOccupancy } from './occupancy.js';
import { SessionRequests } from './session-requests.js';
import type { PatternBook } from './patterns/pattern-book.js';
import type { Replays } from './recovery/replays.js';
import type { Resumes } from './recovery/resumes.js';
import type { PastReader } from './recovery/rewind-selection.js';
import { outletBounds } from './settings.js';
import { State } from './state/state.js';
import type { Subscriber } from './subscriber/subscriber.js';
import type { Identities } from './users/identities.js';

/** Dependencies of `Hub`. */
export interface HubParts {
  readonly config: Config;
  readonly admission: Admission;
  readonly apps: AppRegistry;
  readonly broker: Broker;
  readonly presence: Presence;
  readonly channelCounts: ChannelCounts;
  readonly connectionQuota: ConnectionQuota;
  /** Reads streams of durable channels and commits claims about them; null if unavailable. */
  readonly streamReads: StreamReads | null;
  readonly commits: Commits | null;
  /** Assigns serials to ephemeral events; null if none are assigned. */
  readonly replay: Replay | null;
  /** Reads channel history; null if unavailable. */
  readonly pastReader: PastReader | null;
  /** Schedules the reads of clients, shared by the process; null: reads are not scheduled. */
  readonly readTurns: ReadTurns | null;
  readonly lastEvents: LastEvents;
  /** Key-value store shared by all nodes; null if there is none. */
  readonly sharedStore: Cache | null;
  readonly webhooks: WebhookEvents;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** Sends to every socket of a native topic. */
  readonly publish: NativePublish;
}

/**
 * Filters may use most of an otherwise idle loop; one burst is no longer than the delivery of a message to many
 * subscribers.
 */
const FILTERS = { part: 0.6, burstMs: 4 };

/**
 * All subscribers of one process, whatever their protocol, and everything delivered to them. Protocol adapters admit
 * connections, parse requests and encode frames with a codec; the rest happens here, on the socket loop. Consists of
 * inbound events and their delivery (`Arrivals`), presence and counts (`State`), subscriptions (`Subscribing`), and
 * the connections themselves.
 */
export class Hub {
  readonly channels: Channels;
  /** Apps with connections in this process. */
  readonly hubs: Hubs;
  readonly outlet: Outlet;
  /** Event loop share in which filters of live messages are evaluated. */
  readonly filterShare = new LoopShare(FILTERS);
  /** Event loop share for replays to clients. */
  readonly replayShare: LoopShare;
  readonly places: ConnectionSlots;
  /** Topics of subscribers without a WebSocket. */
  readonly httpTopics = new HttpTopics();
  /** Frames that other nodes forward to sessions of this one. */
  readonly sessions: SessionRequests;
  readonly joins: Joins;
  readonly patterns: PatternBook;
  /** Resumes connections from their positions. */
  readonly resumes: Resumes;
  /** Missed messages of channels, for protocol adapters that deliver them themselves. */
  readonly replays: Replays;
  readonly leaving: Leaving;
  /** Moves resumed connections from their previous node to this one. */
  readonly takings: ConnectionTakeovers;
  /** Comet requests between nodes. */
  readonly comet: CometRelay;
  readonly isolation: Isolation;
  readonly occupancy: SocketOccupancy;
  readonly identities: Identities;
  /** Presence, counts and watchlists, and the notification of their subscribers. */
  readonly state: State;
  readonly #arrivals: Arrivals;
  readonly #subscribing: Subscribing;
  readonly #cleanup: Cleanup;
  readonly #outages: Outages;

  constructor(private readonly parts: HubParts) {
    const { config, metrics } = parts;
    const { onTrouble } = this;
    // A single process counts its own subscriptions and receives every change itself, without requests to other
    // nodes.
    const isAlone = config.adapter.driver === 'local';
    const hubs = new Hubs(metrics);
    const outlet = new Outlet(outletBounds(config), { dropped: (subscriber) => this.#dropped(subscriber) });
    const channels = new Channels(config);
    const share = parts.readTurns?.share ?? new LoopShare();
    this.replayShare = share;
    const common = {
      ...parts,
      hubs,
      outlet,
      channels,
      isAlone,
      onTrouble,
      share,
      filterShare: this.filterShare,
      http: this.httpTopics,
    };
    const arrivals = new Arrivals(common);
    const state = new State(common);
    const subscribing = new Subscribing({ ...common, arrivals, state });
    const { joins, resumes, leaving } = subscribing;
    this.hubs = hubs;
    this.outlet = outlet;
    this.channels = channels;
    this.#arrivals = arrivals;
    this.#subscribing = subscribing;
    this.patterns = arrivals.patterns;
    this.replays = arrivals.durable.replays;
    this.state = state;
    this.identities = state.identities;
    this.joins = joins;
    this.resumes = resumes;
    this.leaving = leaving;
    this.places = new ConnectionSlots({
      admission: parts.admission,
      hubs,
      quota: isAlone ? null : parts.connectionQuota,
      maxConnections: config.max_connections,
    });
    this.occupancy = new SocketOccupancy(hubs);
    this.takings = new ConnectionTakeovers(parts.broker);
    this.comet = new CometRelay(parts.broker);
    this.sessions = new SessionRequests(parts.broker);
    this.isolation = isolationOf(hubs, outlet, parts.log);
    this.#outages = new Outages(parts.sharedStore);
    this.#cleanup = new Cleanup(config, metrics, hubs, leaving, onTrouble);
    this.#listen();
  }

  #listen(): void {
    const { hubs, outlet, isolation, takings, comet, sessions, state } = this;
    const { apps, broker, presence } = this.parts;
    const { delivery, durable } = this.#arrivals;
    const { announcements, metaWatch, looks } = state;
    const told = { announcements, metaWatch, looks };
    const outages = this.#outages;
    broker.listen(
      new HubListener({
        ...told,
        hubs,
        delivery,
        durable,
        outlet,
        apps,
        isolation,
        outages,
        takings,
        comet,
        sessions,
      }),
    );
    presence.observe(
      (change) => {
        state.presenceChanged(change);
        durable.presenceChanged(change);
      },
      () => looks.everywhere(),
      state.owed,
    );
    apps.onChange((change) => this.#appChanged(change));
  }

  /** Reads streams of durable channels; null if unavailable. */
  get streamReads(): StreamReads | null {
    return this.parts.streamReads;
  }

  /** Enables recording the time of each subscription, for the management API. */
  recordSubscriptionTimes(): void {
    this.#subscribing.book.recordsTimes = true;
  }

  /** Reports failures of background work. */
  readonly onTrouble = (what: string, error: unknown): void =>
    this.parts.log.warn('could not be done', { what, error });

  /**
   * Registers a connection whose socket is open: it can receive frames from now on. The caller has checked `places`.
   */
  admit(subscriber: Subscriber): void {
    this.hubs.admit(subscriber);
    const { log } = this.parts;
    const { hub, id, edge } = subscriber;
    if (hub.tap !== null) hub.tap.connected(subscriber);
    if (log.enabled('debug'))
      log.debug('connected', { app_id: hub.appId, socket_id: id, protocol: edge.protocol });
  }

  /** The socket is writable again. */
  drained(subscriber: Subscriber): void {
    this.outlet.drained(subscriber);
  }

  /**
   * Handles a closed socket; the rest of its cleanup runs later. Returns false if it was never admitted or is closed
   * already.
   */
  closed(subscriber: Subscriber, code: number): boolean {
    if (!this.hubs.dismiss(subscriber)) return false;
    subscriber.closedWith = code;
    subscriber.lane = null;
    const { hub, id } = subscriber;
    this.places.release(subscriber);
    const cause = endCause(subscriber);
    if (cause === 'slow_consumer') hub.meters.slowDisconnects.add();
    if (hub.tap !== null) hub.tap.closed(subscriber, { code, cause });
    const { log } = this.parts;
    if (log.enabled('debug')) log.debug('disconnected', { app_id: hub.appId, socket_id: id, cause, code });
    this.#cleanup.add(subscriber);
    return true;
  }

  /** Closes all connections, spread over the available time. */
  closeAll(context: ShutdownContext): Promise<void> {
    this.isolation.end();
    return closeAll(this.hubs, this.outlet, context);
  }

  /** Completes the cleanup of closed connections. */
  async settle(): Promise<void> {
    await this.#cleanup.empty();
  }

  /** Stops every timer. */
  stop(): void {
    this.state.stop();
    this.#arrivals.stop();
    this.#subscribing.stop();
    this.#outages.end();
    this.isolation.end();
  }

  #dropped({ hub, id }: Subscriber): void {
    hub.meters.dropped.add();
    this.parts.log.warn('frame dropped for a slow consumer', { app_id: hub.appId, socket_id: id });
  }

  /** Notifies and closes connections of a deleted or disabled app; any other change applies to later requests. */
  #appChanged({ appId, app }: AppChange): void {
    const hub = this.hubs.find(appId);
    if (hub === null) return;
    if (app?.enabled === true) return hub.update(app);
    const reason = app === null ? 'app_does_not_exist' : 'app_disabled';
    for (const subscriber of hub.subscribers) this.outlet.close(subscriber, reason);
  }
}

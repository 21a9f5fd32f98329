import type { AppChange, AppRegistry } from '@carillon/app-registry';
import { Channels } from '@carillon/channels';
import type { Config } from '@carillon/config';
import type { Fabric } from '@carillon/fabric';
import type { ChannelCounts, ConnectionQuota, Presence } from '@carillon/presence';
import type { Commits, LastEvents } from '@carillon/publishing';
import type { Replay } from '@carillon/replay';
import type { Admission, Logger, Metrics, ShutdownContext } from '@carillon/runtime';
import type { WebhookEvents } from '@carillon/webhooks';
import type { FlushWheel } from './appends/flush-wheel.js';
import { appendWays, flushWheel } from './appends/ways.js';
import { Hubs } from './apps/hubs.js';
import type { NativePublish } from './channels/topic.js';
import { ChannelBook } from './channels/channel-book.js';
import { ordinaryChannel } from './channels/ordinary.js';
import { Delivery } from './delivery/delivery.js';
import { HubListener } from './delivery/listener.js';
import { Outlet } from './delivery/outlet.js';
import { Durable } from './durable/durable.js';
import type { StreamReads } from './durable/stream-reads.js';
import { Places } from './entry/places.js';
import { Joins } from './joining/joins.js';
import { NewestEvents } from './joining/newest-event.js';
import { Cleanup } from './leave/cleanup.js';
import { closeAll, sendAway } from './leave/closing.js';
import { endCause } from './leave/departure.js';
import { Isolation } from './leave/isolation.js';
import { Leaving } from './leave/leaving.js';
import { Takings } from './leave/takings.js';
import { SocketOccupancy } from './occupancy.js';
import { PatternBook } from './patterns/pattern-book.js';
import type { Replays } from './recovery/replays.js';
import { recoveryCounts } from './recovery/recovery-counts.js';
import { Resumes } from './recovery/resumes.js';
import type { PastReader } from './recovery/rewind-selection.js';
import { Rewinds } from './recovery/rewinds.js';
import { maxSubscriptions, outletBounds } from './settings.js';
import { State } from './state/state.js';
import type { Subscriber } from './subscriber/subscriber.js';
import { Identities } from './users/identities.js';
import { Interests } from './users/interests.js';

/** What a hub works with. */
export interface HubParts {
  readonly config: Config;
  readonly admission: Admission;
  readonly apps: AppRegistry;
  readonly fabric: Fabric;
  readonly presence: Presence;
  readonly channelCounts: ChannelCounts;
  readonly connectionQuota: ConnectionQuota;
  /** Where streams of channels with a history are read, and where claims about them go; null: nowhere. */
  readonly streamReads: StreamReads | null;
  readonly commits: Commits | null;
  /** What gives places to events without a history; null: nothing does. */
  readonly replay: Replay | null;
  /** Where the past of channels is read; null: nowhere. */
  readonly pastReader: PastReader | null;
  readonly lastEvents: LastEvents;
  readonly webhooks: WebhookEvents;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** Sends to every socket of a native topic. */
  readonly publish: NativePublish;
}

/**
 * The subscribers of one process, whatever protocols they speak, and everything that reaches them. Edges let connections
 * in, read what they ask for, and say in a codec what they are told; the rest happens here, on the socket loop.
 */
export class Hub {
  readonly channels: Channels;
  /** The apps with connections here. */
  readonly hubs: Hubs;
  readonly outlet: Outlet;
  readonly places: Places;
  readonly joins: Joins;
  readonly patterns: PatternBook;
  /** How connections go on where they were. */
  readonly resumes: Resumes;
  /** What was missed of channels, for edges that tell it in their own way. */
  readonly replays: Replays;
  readonly leaving: Leaving;
  /** How connections come back as themselves. */
  readonly takings: Takings;
  readonly isolation: Isolation;
  readonly occupancy: SocketOccupancy;
  readonly identities: Identities;
  /** Presence, counts and watchlists, and who is told of them. */
  readonly state: State;
  readonly #interests: Interests;
  readonly #book: ChannelBook;
  readonly #durable: Durable;
  readonly #cleanup: Cleanup;
  readonly #wheel: FlushWheel;

  constructor(private readonly parts: HubParts) {
    const { config, apps, fabric, presence, connectionQuota, metrics, log, publish } = parts;
    const onTrouble = this.onTrouble;
    // A process that is alone counts its own, and hears of every change itself, without asking anybody.
    const isAlone = config.adapter.driver === 'local';
    const hubs = new Hubs(metrics);
    const outlet = new Outlet(outletBounds(config), { dropped: (subscriber) => this.#dropped(subscriber) });
    this.channels = new Channels(config);
    this.hubs = hubs;
    this.outlet = outlet;
    this.occupancy = new SocketOccupancy(hubs);
    this.places = new Places({
      admission: parts.admission,
      hubs,
      quota: isAlone ? null : connectionQuota,
      maxConnections: config.max_connections,
    });
    const { channels } = this;
    const wheel = flushWheel(config);
    const appends = appendWays(config, parts.streamReads, wheel, onTrouble);
    const ways = { outlet, publish, appends };
    const patterns = new PatternBook({
      ...parts,
      hubs,
      ways,
      channels,
      maxSubscriptions: maxSubscriptions(config),
      onTrouble,
    });
    this.patterns = patterns;
    const delivery = new Delivery(hubs, outlet, patterns);
    const maxFrameBytes = config.websocket_max_payload_kb * 1024;
    const durable = new Durable({ ...parts, hubs, channels, delivery, patterns, maxFrameBytes, onTrouble });
    patterns.onLast = (appId) => durable.noPatterns(appId);
    this.#interests = new Interests(fabric, onTrouble);
    const state = new State({ ...parts, hubs, outlet, interests: this.#interests, isAlone, onTrouble });
    const book = new ChannelBook(hubs, fabric, ways, durable.positions, state.metaWatch, isAlone);
    book.observe((channel) => state.tally.changed(channel));
    const identities = new Identities(this.#interests);
    const { watchlists, looks, announcements } = state;
    const leaving = new Leaving({
      book,
      patterns,
      presence,
      identities,
      watchlists,
      // A process that is alone has nobody who could end a lease after it, and nowhere to send clients.
      elsewhereLeaseMs: isAlone ? 0 : config.presence.node_stop_timeout_seconds * 1000,
      onTrouble,
    });
    this.replays = durable.replays;
    this.resumes = new Resumes({
      outlet,
      replays: durable.replays,
      textOf: appends.text,
      canBePlaced: (of, name) => ordinaryChannel(channels, of, name) !== null,
      ...recoveryCounts(metrics),
      onTrouble,
    });
    this.joins = new Joins({
      ...parts,
      newestEvents: new NewestEvents({
        lastEvents: parts.lastEvents,
        positions: durable.positions,
        reads: parts.streamReads,
        lifeMs: config.channel_limits.cache_ttl * 1000,
        onTrouble,
      }),
      book,
      outlet,
      identities,
      leaving,
      looks,
      positions: durable.positions,
      resumes: this.resumes,
      rewinds: new Rewinds({
        reader: parts.pastReader,
        outlet,
        maxPageSize: config.history.max_page_size,
        onTrouble,
      }),
      maxSubscriptions: maxSubscriptions(config),
      joinWithinMs: config.adapter.interest.confirm_timeout_ms,
      onTrouble,
    });
    this.#cleanup = new Cleanup(config, metrics, hubs, leaving, onTrouble);
    this.isolation = new Isolation({
      after: startTimer,
      closeAll: (signal) => {
        log.warn('cut off from the other processes, sending clients away', { connections: hubs.connections });
        return sendAway(hubs, outlet, signal);
      },
    });
    const { isolation } = this;
    const takings = new Takings(fabric);
    this.takings = takings;
    this.state = state;
    this.#wheel = wheel;
    this.identities = identities;
    this.leaving = leaving;
    this.#durable = durable;
    this.#book = book;
    fabric.listen(
      new HubListener({
        hubs,
        delivery,
        durable,
        outlet,
        apps,
        isolation,
        announcements,
        metaWatch: state.metaWatch,
        looks,
        takings,
      }),
    );
    presence.observe(
      (change) => {
        state.presenceChanged(change);
        durable.presenceChanged(change);
      },
      () => looks.everywhere(),
    );
    apps.onChange((change) => this.#appChanged(change));
  }

  /** Where streams of channels with a history are read; null: nowhere. */
  get streamReads(): StreamReads | null {
    return this.parts.streamReads;
  }

  /** For what went wrong while there is nobody to be told. */
  readonly onTrouble = (what: string, error: unknown): void =>
    this.parts.log.warn('could not be done', { what, error });

  /** Counts a connection in, whose socket is open: it may be told things from now on. Its edge has asked `places`. */
  admit(subscriber: Subscriber): void {
    this.hubs.admit(subscriber);
    const { log } = this.parts;
    const { hub, id, edge } = subscriber;
    if (log.enabled('debug'))
      log.debug('connected', { app_id: hub.appId, socket_id: id, protocol: edge.protocol });
  }

  /** Its socket reads again. */
  drained(subscriber: Subscriber): void {
    this.outlet.drained(subscriber);
  }

  /** Its socket has closed. What it leaves behind is done later. False: it was never admitted, or is out already. */
  closed(subscriber: Subscriber, code: number): boolean {
    if (!this.hubs.dismiss(subscriber)) return false;
    subscriber.closedWith = code;
    subscriber.lane = null;
    const { hub, id } = subscriber;
    this.places.release(subscriber);
    const cause = endCause(subscriber);
    if (cause === 'slow_consumer') hub.meters.slowDisconnects.add();
    const { log } = this.parts;
    if (log.enabled('debug')) log.debug('disconnected', { app_id: hub.appId, socket_id: id, cause, code });
    this.#cleanup.add(subscriber);
    return true;
  }

  /** Closes every connection, spread over the time there is. */
  closeAll(context: ShutdownContext): Promise<void> {
    this.isolation.end();
    return closeAll(this.hubs, this.outlet, context);
  }

  /** Finishes what closed connections left behind. */
  async settle(): Promise<void> {
    await this.#cleanup.empty();
  }

  /** Stops every timer. */
  stop(): void {
    this.state.stop();
    this.#interests.stop();
    this.#durable.stop();
    this.#book.stop();
    this.#wheel.stop();
    this.isolation.end();
  }

  #dropped({ hub, id }: Subscriber): void {
    hub.meters.dropped.add();
    this.parts.log.warn('frame dropped for a slow consumer', { app_id: hub.appId, socket_id: id });
  }

  /** Connections of an app that is gone or disabled are told so; every other change counts for what comes next. */
  #appChanged({ appId, app }: AppChange): void {
    const hub = this.hubs.find(appId);
    if (hub === null) return;
    if (app?.enabled === true) return hub.update(app);
    const reason = app === null ? 'app_does_not_exist' : 'app_disabled';
    for (const subscriber of hub.subscribers) this.outlet.close(subscriber, reason);
  }
}

function startTimer(ms: number, then: () => void): () => void {
  const timer = setTimeout(then, ms).unref();
  return () => clearTimeout(timer);
}

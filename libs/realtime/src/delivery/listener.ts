import type { AppRegistry } from '@carillon/app-registry';
import { metaBase } from '@carillon/channels';
import type {
  ActingSocket,
  Answer,
  BrokerOutage,
  BrokerListener,
  LiveEvent,
  Question,
  RevokedTokens,
} from '@carillon/broker';
import { Capabilities, OPERATIONS } from '@carillon/auth';
import type { Outlet } from './outlet.js';
import type { FanOutRecordBody } from '@carillon/contracts';
import { NOBODY, occupancyOf } from '../channels/occupancy.js';
import type { Durable } from '../durable/durable.js';
import type { MetaWatch } from '../meta/meta-watch.js';
import type { Announcements } from '../state/announcements.js';
import type { Delivery } from './delivery.js';
import type { AppHub } from '../apps/app-hub.js';
import type { Hubs } from '../apps/hubs.js';
import type { PresenceResync } from '../state/presence-resync.js';
import type { Isolation } from '../leave/isolation.js';
import type { Outages } from '../leave/outages.js';
import type { ConnectionTakeovers } from '../leave/connection-takeovers.js';
import type { CometRelay } from '../entry/comet-relay.js';
import type { SessionRequests } from '../session-requests.js';

type Answers = { [Kind in keyof Question]: (hub: AppHub, about: Question[Kind]) => Answer[Kind] };

const NOTHING: Answer = {
  channels_with_sockets_count: new Map(),
  batch_channel_sockets_count: new Map(),
  sockets_count: 0,
  terminate_user: 0,
  force_reconnect: 0,
  meta_watched: 0,
  token_revoked: 0,
  acting_socket: null,
  channel_occupancy: NOBODY,
  connection_taken: [],
  comet_request: null,
  stream_frames: null,
  stream_end: null,
};

/** Dependencies of `HubListener`. */
export interface ListenerParts {
  readonly hubs: Hubs;
  readonly delivery: Delivery;
  readonly durable: Durable;
  readonly outlet: Outlet;
  readonly apps: Pick<AppRegistry, 'appChanged'>;
  readonly isolation: Isolation;
  readonly outages: Outages;
  readonly announcements: Announcements;
  readonly metaWatch: Pick<MetaWatch, 'told'>;
  readonly looks: PresenceResync;
  readonly takings: Pick<ConnectionTakeovers, 'taken'>;
  readonly comet: Pick<CometRelay, 'apply'>;
  readonly sessions: Pick<SessionRequests, 'answer'>;
}

/**
 * Handles calls of the broker: delivers events, and answers requests of other nodes about the sockets of this
 * process.
 */
export class HubListener implements BrokerListener {
  readonly #answers: Answers;

  constructor(private readonly parts: ListenerParts) {
    const { outlet } = parts;
    this.#answers = {
      channels_with_sockets_count: (hub, { prefix }) => counts(hub, occupied(hub, prefix)),
      batch_channel_sockets_count: (hub, { channels }) => counts(hub, channels),
      sockets_count: (hub) => hub.size,
      terminate_user: (hub, { userId }) => closeUser(hub, userId, outlet, 'disconnected_by_app'),
      force_reconnect: (hub, { userId }) => closeUser(hub, userId, outlet, 'reconnect_requested'),
      meta_watched: () => 1,
      acting_socket: (hub, { socketId, channel }) => actingSocket(hub, socketId, channel),
      channel_occupancy: (hub, { channel }) => {
        const local = hub.channels.get(channel);
        return local === undefined ? NOBODY : occupancyOf(local);
      },
      connection_taken: ({ appId }, taken) => parts.takings.taken(appId, taken),
      comet_request: ({ appId }, request) => parts.comet.apply(appId, request),
      stream_frames: ({ appId }, request) => parts.sessions.answer(appId, request),
      stream_end: ({ appId }, request) => parts.sessions.answer(appId, request),
      token_revoked: (hub, revoked) => closeHolders(hub, revoked, outlet),
    };
  }

  deliver(event: LiveEvent): void {
    const { durable, delivery } = this.parts;
    const { fact } = event;
    const hasPlace = fact.kind === 'message' && fact.serial !== null;
    if (hasPlace && durable.sequenced !== null) durable.sequenced.take({ ...event, fact });
    else delivery.deliver(event);
  }

  deliverRecord(record: FanOutRecordBody): void {
    this.parts.durable.delivery.take(record);
  }

  answer<Kind extends keyof Question>(kind: Kind, appId: string, about: Question[Kind]): Answer[Kind] {
    // An app without state in this process may get connections soon.
    if (isOfMeta(kind, about)) this.parts.metaWatch.told(appId, about.channels);
    // Receivers and closed connections outlast the open connections of their app on this node.
    if (isOfComet(kind, about)) return this.parts.comet.apply(appId, about) as Answer[Kind];
    const hub = this.parts.hubs.find(appId);
    if (hub !== null) return this.#answers[kind](hub, about);
    // State of closed connections that may reconnect outlives all other state of their app.
    return isOfTaken(kind, about) ? (this.parts.takings.taken(appId, about) as Answer[Kind]) : NOTHING[kind];
  }

  outOfReach(sinceMs: number, outage: BrokerOutage): void {
    const { isolation, outages, announcements } = this.parts;
    outages.begin(outage);
    isolation.begin(sinceMs, () => outages.isForAll(outage));
    announcements.outOfReach();
  }

  /** The broker is reachable again: announces what other nodes missed, and reads what this node missed. */
  inReachAgain(): void {
    const { isolation, outages, announcements, looks, durable } = this.parts;
    outages.end();
    isolation.end();
    announcements.inReachAgain();
    looks.everywhere();
    durable.inReachAgain();
  }

  appChanged(appId: string): void {
    void this.parts.apps.appChanged(appId);
  }
}

const isOfMeta = (
  kind: keyof Question,
  _about: Question[keyof Question],
): _about is Question['meta_watched'] => kind === 'meta_watched';

const isOfComet = (
  kind: keyof Question,
  _about: Question[keyof Question],
): _about is Question['comet_request'] => kind === 'comet_request';

const isOfTaken = (
  kind: keyof Question,
  _about: Question[keyof Question],
): _about is Question['connection_taken'] => kind === 'connection_taken';

/** Returns the identity of a connection and its rights on a channel; null if it is not on this node. */
function actingSocket(hub: AppHub, socketId: string, channel: string): ActingSocket | null {
  const subscriber = hub.subscriber(socketId);
  if (subscriber === null || !subscriber.isOpen) return null;
  const capabilities = subscriber.identity?.capabilities ?? Capabilities.NONE;
  return {
    protocol: subscriber.edge.protocol === 2 ? 2 : 1,
    clientId: subscriber.identity?.userId ?? null,
    hasToken: hub.tokens.tokenOf(subscriber) !== null,
    rights: OPERATIONS.filter((operation) => capabilities.allows(operation, channel)),
  };
}

/** Omits meta channels; they count as unoccupied. */
function* occupied(hub: AppHub, prefix: string): Generator<string> {
  for (const name of hub.channels.keys()) if (name.startsWith(prefix) && metaBase(name) === null) yield name;
}

function counts(hub: AppHub, names: Iterable<string>): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const name of names) {
    const count = hub.channels.get(name)?.count ?? 0;
    if (count > 0) found.set(name, count);
  }
  return found;
}

/** Closes connections signed in as the user; members of presence channels with this user id are not affected. */
function closeUser(
  hub: AppHub,
  userId: string,
  outlet: Outlet,
  reason: 'disconnected_by_app' | 'reconnect_requested',
): number {
  const subscribers = hub.signedIn.of(userId);
  for (const subscriber of subscribers) outlet.close(subscriber, reason);
  return subscribers.length;
}

/** Closes the holders of revoked tokens. Each counts once; connections that are closing already do not count. */
function closeHolders(hub: AppHub, revoked: RevokedTokens, outlet: Outlet): number {
  let closed = 0;
  for (const subscriber of hub.tokens.holdersOf(revoked)) {
    if (!subscriber.isOpen) continue;
    outlet.close(subscriber, 'token_revoked', { kind: 'token_revoked' });
    closed += 1;
  }
  return closed;
}

import type { AppRegistry } from '@carillon/app-registry';
import type { Config } from '@carillon/config';
import type { Hub } from '@carillon/hub';
import type { Presence } from '@carillon/presence';
import type { Publisher } from '@carillon/publishing';
import type { RateLimit } from '@carillon/rate-limit';
import type { Admission, Logger, Metrics } from '@carillon/runtime';
import type { HttpRequest, Socket, SocketOptions, UpgradeDecision } from '@carillon/uws';
import type { WebhookEvents } from '@carillon/webhooks';
import { Connection } from './connection/connection.js';
import { PendingArrival, type Arrival } from './entrance/arrival.js';
import { Entrance } from './entrance/entrance.js';
import { Reception } from './entrance/reception.js';
import { UpgradeLimit } from './entrance/upgrade-limit.js';
import { ClientEvents } from './requests/client-event.js';
import { Requests } from './requests/requests.js';
import { Signin } from './requests/signin.js';
import { Subscribe } from './requests/subscribe.js';
import { connectRules, heartbeatOptions, socketOptions, upgradeLimitOptions } from './settings.js';
import { Heartbeats } from './time/heartbeats.js';
import { V1 } from './v1/codec.js';
import { edgeV1 } from './v1/edge.js';

/** What sockets work with. */
export interface SocketsParts {
  readonly config: Config;
  readonly hub: Hub;
  readonly admission: Admission;
  readonly apps: AppRegistry;
  readonly presence: Presence;
  readonly publisher: Publisher;
  readonly rateLimit: RateLimit;
  readonly webhooks: WebhookEvents;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/**
 * The protocol 1 edge: lets WebSockets in, reads what they ask for, and asks them for signs of life. Everything here runs
 * on the socket loop.
 */
export class Sockets {
  readonly options: SocketOptions;
  readonly #hub: Hub;
  readonly #heartbeats: Heartbeats;
  readonly #entrance: Entrance;
  readonly #reception: Reception;
  readonly #requests: Requests;

  constructor(parts: SocketsParts) {
    const { config, hub, metrics, rateLimit } = parts;
    const speech = { edge: edgeV1(config), codec: V1 };
    const heartbeats = new Heartbeats(heartbeatOptions(config), hub.outlet);
    const limit = upgradeLimitOptions(config);
    this.options = socketOptions(config);
    this.#hub = hub;
    this.#heartbeats = heartbeats;
    this.#entrance = new Entrance({
      ...parts,
      heartbeats,
      speech,
      limit: limit === null ? null : new UpgradeLimit(limit, rateLimit, metrics),
      rules: connectRules(config),
    });
    this.#reception = new Reception({
      ...parts,
      heartbeats,
      speech,
      message: (socket, frame) => this.message(socket, frame),
      activityTimeoutSeconds: config.activity_timeout,
    });
    const { channels, outlet, joins, leaving, identities, onTrouble } = hub;
    const { watchlists } = hub.state;
    this.#requests = new Requests({
      outlet,
      leaving,
      onTrouble,
      subscribe: new Subscribe({ channels, outlet, joins }),
      clientEvents: new ClientEvents({ ...parts, channels, outlet, onTrouble }),
      signin: new Signin({ ...parts, outlet, identities, watchlists, leaving, onTrouble }),
    });
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
    if (state instanceof Connection) this.#hub.outlet.drained(state);
  }

  /** The native library holds as much for the socket as may be held at all. */
  dropped({ state }: Socket<Arrival>): void {
    if (state instanceof Connection) this.#hub.outlet.dropped(state);
  }

  closed({ state }: Socket<Arrival>, code: number): void {
    if (state instanceof Connection && this.#hub.closed(state, code)) this.#heartbeats.end(state);
  }

  /** Stops every timer. */
  stop(): void {
    this.#heartbeats.stop();
  }
}

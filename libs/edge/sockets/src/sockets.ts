import { UpgradeLimit, type Hub } from '@carillon/hub';
import type { HttpRequest, Socket, SocketOptions, UpgradeDecision } from '@carillon/uws';
import { isTracingMessages, traced } from '@carillon/tracing';
import { Connection } from './connection/connection.js';
import { PendingArrival, type Arrival } from './entrance/arrival.js';
import { Entrance } from './entrance/entrance.js';
import { Reception } from './entrance/reception.js';
import type { SocketsParts } from './parts.js';
import { ClientEvents } from './requests/client-event.js';
import { Requests } from './requests/requests.js';
import { Signin } from './requests/signin.js';
import { Subscribe } from './requests/subscribe.js';
import { connectRules, heartbeatOptions, socketOptions } from './settings.js';
import { Heartbeats } from './time/heartbeats.js';
import { speechV1 } from './v1/speech.js';
import { ProtocolV2 } from './v2/protocol-v2.js';
import type { Tokens } from './v2/tokens.js';

/**
 * The edge of protocols 1 and 2: lets WebSockets in, reads what they ask for, and asks them for signs of life. Everything here runs
 * on the socket loop.
 */
export class Sockets {
  readonly options: SocketOptions;
  readonly #hub: Hub;
  readonly #heartbeats: Heartbeats;
  readonly #entrance: Entrance;
  readonly #reception: Reception;
  readonly #requests: Requests;
  readonly #tokens: Tokens;

  constructor(parts: SocketsParts) {
    const { config, hub, rateLimit, metrics } = parts;
    const { outlet, leaving, patterns, onTrouble } = hub;
    const heartbeats = new Heartbeats(heartbeatOptions(config), outlet);
    const signin = Signin.of(parts);
    const { tokens, speeches: speechesV2 } = new ProtocolV2({ ...parts, signin });
    const subscribe = Subscribe.of(parts, tokens);
    const clientEvents = ClientEvents.of(parts);
    const way = { ...parts, heartbeats, tokens, speech: speechV1(config) };
    this.options = socketOptions(config);
    this.#hub = hub;
    this.#heartbeats = heartbeats;
    this.#tokens = tokens;
    this.#requests = new Requests({ outlet, leaving, patterns, onTrouble, subscribe, clientEvents, signin });
    this.#entrance = new Entrance({
      ...way,
      speechesV2,
      limit: UpgradeLimit.of(config, rateLimit, metrics),
      rules: connectRules(config),
    });
    this.#reception = new Reception({
      ...way,
      message: (socket, frame) => this.message(socket, frame),
      activityTimeoutSeconds: config.activity_timeout,
    });
    heartbeats.start();
    tokens.ends.start();
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
    if (isTracingMessages()) this.#takeTraced(state, data);
    else this.#requests.take(state, data);
  }

  #takeTraced(connection: Connection, data: ArrayBuffer): void {
    const attributes = { app_id: connection.hub.appId, protocol: connection.edge.protocol };
    traced(
      () => ({ name: 'message', kind: 'server', attributes }),
      () => this.#requests.take(connection, data),
    );
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
    if (!(state instanceof Connection) || !this.#hub.closed(state, code)) return;
    this.#heartbeats.end(state);
    this.#tokens.end(state);
    state.ended();
  }

  /** Stops every timer. */
  stop(): void {
    this.#heartbeats.stop();
    this.#tokens.ends.stop();
  }
}

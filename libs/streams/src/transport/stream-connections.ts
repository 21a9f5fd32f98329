import { Frames, type Hub } from '@carillon/realtime';
import type { CapabilityToken } from '@carillon/auth';
import type { Sockets, SocketsGateway } from '@carillon/sockets';
import type { HttpResponse } from '@carillon/uws';
import type { StreamMetrics } from '../metrics.js';
import type { StreamSettings } from '../settings.js';
import type { StreamClock } from '../time/stream-clock.js';
import { HttpSocket, type HttpSocketParts } from './http-socket.js';
import type { Output } from './output.js';
import type { StreamConnection } from './stream-connection.js';

export interface StreamConnectionsParts {
  readonly settings: StreamSettings;
  readonly hub: Hub;
  readonly gateway: Pick<SocketsGateway, 'ended'>;
  readonly tokens: Sockets['tokens'];
  readonly clock: StreamClock;
  readonly metrics: StreamMetrics;
  readonly socket: Omit<HttpSocketParts, 'onEnd'>;
}

/** Code of a connection that its client or the service gives up before it is open. */
const GIVEN_UP = 1000;

const HEAD: Readonly<Record<string, string>> = {
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
  // A reconnect on the same connection would lead back to a node that is draining.
  connection: 'close',
};

/** The beginning and the end of every connection over HTTP. */
export class StreamConnections {
  readonly #socketParts: HttpSocketParts;

  constructor(private readonly parts: StreamConnectionsParts) {
    this.#socketParts = { ...parts.socket, onEnd: (connection, code) => this.#ended(connection, code) };
  }

  /** Counts and admits a connection. Frames sent to it wait until it is opened. */
  admit(
    connection: StreamConnection,
    output: Output,
    response: HttpResponse,
    token: CapabilityToken | null,
  ): void {
    const { hub, tokens } = this.parts;
    const http = new HttpSocket(this.#socketParts, connection, output);
    connection.http = http;
    connection.opened(http);
    response.onAbort = () => http.gone();
    hub.admit(connection);
    connection.token = null;
    if (token !== null) tokens.begin(connection, token);
  }

  /** Sends the head of the response and the first frame. False: the client is gone, or the connection has ended. */
  open(connection: StreamConnection, response: HttpResponse, more: object = {}): boolean {
    const { http } = connection;
    if (http === null || !connection.isOpen || response.finished) return false;
    for (const [name, value] of Object.entries(HEAD)) response.setHeader(name, value);
    response.setHeader('content-type', http.output.contentType);
    if (!http.open(response, this.#established(connection, more))) return false;
    const { clock, metrics } = this.parts;
    metrics.opened(connection.hub.appId, connection.form);
    connection.isCounted = true;
    clock.begin(connection);
    return true;
  }

  /** Ends a connection that is not opened after all. */
  discard({ http }: StreamConnection): void {
    http?.terminate(GIVEN_UP);
  }

  /** Returns the connection frame of a socket, with the additional members of a session. */
  #established(connection: StreamConnection, more: object): string {
    const acks = connection.speech.acks ? ({ acks: true } as const) : {};
    const { activityTimeoutSeconds } = this.parts.settings;
    const fact = { kind: 'established', socketId: connection.id, activityTimeoutSeconds, ...acks } as const;
    const text = String(new Frames(fact).of(connection.codec));
    if (Object.keys(more).length === 0) return text;
    const frame = JSON.parse(text) as { data: string };
    frame.data = JSON.stringify({ ...(JSON.parse(frame.data) as object), ...more });
    return JSON.stringify(frame);
  }

  #ended(connection: StreamConnection, code: number): void {
    const { gateway, clock, metrics } = this.parts;
    clock.end(connection);
    if (connection.isCounted) metrics.closed(connection.hub.appId, connection.form);
    gateway.ended(connection, code);
    connection.onEnded?.();
  }
}

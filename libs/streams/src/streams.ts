import type { AppRegistry } from '@carillon/app-registry';
import type { Config } from '@carillon/config';
import { ServiceError } from '@carillon/errors';
import type { Hub } from '@carillon/realtime';
import { WireNames } from '@carillon/protocol';
import type { Admission, Logger, Metrics } from '@carillon/runtime';
import { connectRules, type Sockets, type SocketsGateway } from '@carillon/sockets';
import type { HttpRequest, HttpResponse, UwsHttpAdapter } from '@carillon/uws';
import { StreamAdmission } from './admission/admission.js';
import { names as namesType, prefersStatus } from './admission/accept.js';
import { StreamRefusal } from './admission/refusal.js';
import { RetryDelay } from './admission/retry-delay.js';
import { softRefusal } from './admission/soft-refusal.js';
import { EventStreams } from './events/event-streams.js';
import { FrameInfos } from './frames/frame-info.js';
import { StreamMetrics } from './metrics.js';
import type { StreamParts } from './parts.js';
import { SessionRoutes } from './session/session-routes.js';
import { Sessions } from './session/sessions.js';
import { streamSettings } from './settings.js';
import { StreamClock } from './time/stream-clock.js';
import { EVENT_STREAM } from './transport/output.js';
import { StreamConnections } from './transport/stream-connections.js';
import { Writes } from './transport/writes.js';

/** Dependencies of HTTP streams. */
export interface StreamsParts {
  readonly config: Config;
  readonly hub: Hub;
  readonly sockets: Sockets;
  readonly gateway: SocketsGateway;
  readonly apps: AppRegistry;
  readonly admission: Admission;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** Publishes to the WebSockets of a native topic. */
  readonly publish: (topic: string, frame: string | Uint8Array) => void;
}

const ROUTES = /^\/app\/[^/]+\/(?:events|stream)(?:\/|$)/;
const isStream = ({ routedPath }: HttpRequest): boolean => ROUTES.test(routedPath);
/** Seconds for which a browser may keep the answer to a preflight of these routes. */
const PREFLIGHT_SECONDS = 600;

/** Protocol 2 over HTTP: event streams, and duplex sessions. */
export class Streams {
  readonly #parts: StreamParts;
  readonly #events: EventStreams;
  readonly #sessions: SessionRoutes;

  constructor(parts: StreamsParts) {
    const { config, hub, sockets, gateway, apps } = parts;
    const settings = streamSettings(config);
    const names = new WireNames(config.protocol.vendor_prefix);
    const metrics = new StreamMetrics(parts.metrics);
    const infos = new FrameInfos(names);
    const clock = new StreamClock(settings, hub);
    const { tokens, upgradeLimit: limit, subscribe, speechesV2: speeches } = sockets;
    const socket = {
      hub,
      topics: hub.httpTopics,
      infos,
      writes: new Writes(hub.onTrouble),
      metrics,
      publish: parts.publish,
      maxUnreadBytes: settings.maxUnreadBytes,
    };
    this.#parts = {
      settings,
      names,
      hub,
      gateway,
      subscribe,
      speeches,
      infos,
      clock,
      metrics,
      connectRules: connectRules(config),
      admission: new StreamAdmission({ admission: parts.admission, apps, hub, tokens, limit }),
      connections: new StreamConnections({ settings, hub, gateway, tokens, clock, metrics, socket }),
      retry: new RetryDelay(settings, hub.hubs, config.max_connections),
    };
    const open = new Sessions(this.#parts);
    hub.sessions.answerWith((appId, request) => open.answer(appId, request));
    this.#events = new EventStreams(this.#parts);
    this.#sessions = new SessionRoutes(this.#parts, open);
    clock.start();
  }

  /** Stops every timer. */
  stop(): void {
    this.#parts.clock.stop();
  }

  /** Puts the routes on the adapter. */
  mount(adapter: UwsHttpAdapter): void {
    const events = (request: HttpRequest, response: HttpResponse): Promise<void> =>
      this.#answered(request, response, true, () => this.#events.open(request, response));
    adapter.fastRoute('GET', '/app/:appKey/events', events);
    adapter.fastRoute('POST', '/app/:appKey/events', events);
    adapter.fastRoute('POST', '/app/:appKey/stream', (request, response) =>
      this.#answered(request, response, false, () => this.#sessions.open(request, response)),
    );
    adapter.fastRoute('POST', '/app/:appKey/stream/:session', (request, response) =>
      this.#sessions.post(request, response),
    );
    adapter.fastRoute('DELETE', '/app/:appKey/stream/:session', (request, response) =>
      this.#sessions.end(request, response),
    );
    adapter.preflightMaxAge = (request) => (isStream(request) ? PREFLIGHT_SECONDS : null);
    // A browser that reads a status does not reconnect.
    adapter.servesWhileRefusing = isStream;
  }

  async #answered(
    request: HttpRequest,
    response: HttpResponse,
    canBeSoft: boolean,
    open: () => Promise<void>,
  ): Promise<void> {
    try {
      // The router gives a HEAD to the handler of GET.
      if (request.method === 'HEAD')
        throw new ServiceError('method_not_allowed', { headers: { allow: 'GET, POST' } });
      await open();
    } catch (error) {
      if (!(error instanceof StreamRefusal)) throw error;
      this.#refuse(request, response, error, canBeSoft);
    }
  }

  #refuse(request: HttpRequest, response: HttpResponse, refusal: StreamRefusal, canBeSoft: boolean): void {
    const { retry, metrics, names } = this.#parts;
    const retryMs = refusal.retry === null ? null : retry.of(refusal.retry, refusal.leastRetryMs);
    const isSoft = canBeSoft && retryMs !== null && readsRefusalsAsEvents(request);
    metrics.refused(null, refusal.label, isSoft);
    if (isSoft) return softRefusal(request, response, refusal, retryMs, names);
    if (retryMs !== null) response.setHeader('connection', 'close');
    response.answer(refusal.answer(retryMs));
  }
}

/** Whether a client would stay closed after a status, and reconnects after an event stream that ends. */
function readsRefusalsAsEvents(request: HttpRequest): boolean {
  const wantsStatus =
    new URLSearchParams(request.rawQuery).get('refusals') === 'status' ||
    prefersStatus(request.header('prefer'));
  return !wantsStatus && namesType(request.header('accept'), EVENT_STREAM);
}

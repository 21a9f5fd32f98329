import { CompatError, type CompatCore } from '@carillon/ably-core';
import type { Config } from '@carillon/config';
import type { Logger } from '@carillon/runtime';
import type { HttpRequest, HttpResponse, UwsHttpAdapter } from '@carillon/uws';
import { CometConnections } from '../comet/comet-connections.js';
import { CometRequests, type HandleFrame } from '../comet/comet-requests.js';
import { CometRoutes } from '../comet/comet-routes.js';
import { RemoteRecvs } from '../comet/remote-recvs.js';
import type { Realtime } from '../realtime.js';
import { EventRoutes } from '../sse/event-routes.js';
import { answerError } from './answers.js';
import type { TransportEvents } from './http-transport.js';

export interface HttpTransportParts {
  readonly config: Config;
  readonly core: CompatCore;
  readonly realtime: Realtime;
  readonly log: Logger;
}

type Answer = (request: HttpRequest, response: HttpResponse) => Promise<void>;

/** Mounts the HTTP transports of Ably clients: comet, and event streams. */
export function mountHttpTransports(
  adapter: UwsHttpAdapter,
  { config, core, realtime, log }: HttpTransportParts,
  handle: HandleFrame,
): void {
  const { hub, reception } = realtime;
  const events: TransportEvents = {
    drained: (connection) => hub.outlet.drained(connection),
    closed: (connection, code) => realtime.closed(connection, code),
  };
  const onFault = (error: unknown): void => log.error('request failed', { error });
  const [connections, recvs] = [new CometConnections(), new RemoteRecvs()];
  const requests = new CometRequests(connections, recvs, hub.comet, handle);
  hub.comet.applyWith(requests.applyForwarded);
  const common = { config, core, reception, events, onFault };
  const comet = new CometRoutes({ ...common, relay: hub.comet, connections, recvs, requests });
  const get = (path: string, answer: Answer): void =>
    adapter.fastRoute('GET', path, (request, response) =>
      request.method === 'HEAD' ? refuseHead(response) : answer(request, response),
    );
  get('/comet/connect', comet.connect);
  get('/comet/:connectionKey/recv', comet.recv);
  adapter.fastRoute('POST', '/comet/:connectionKey/send', comet.send);
  for (const verb of ['close', 'disconnect'] as const) {
    const ending = comet.ending(verb);
    get(`/comet/:connectionKey/${verb}`, ending);
    adapter.fastRoute('POST', `/comet/:connectionKey/${verb}`, ending);
  }
  const streams = new EventRoutes({ ...common, realtime });
  get('/sse', streams.sse);
  get('/event-stream', streams.eventStream);
}

/** A response without an end has no HEAD. */
function refuseHead(response: HttpResponse): void {
  response.setHeader('allow', 'GET');
  answerError(response, new CompatError(40_500, 'HEAD is not supported'));
}

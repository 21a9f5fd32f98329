import {
  CompatError,
  type CompatCore,
  connectionKeyHash,
  type JsonObject,
  type Principal,
  readCredentials,
} from '@carillon/ably-core';
import type { CometRelay, CometReply, CometRequest } from '@carillon/realtime';
import type { HttpRequest, HttpResponse } from '@carillon/uws';
import type { Config } from '@carillon/config';
import { type Arrival, arrivalOf } from '../arrival.js';
import { answerError, answerJson, reported } from '../http/answers.js';
import type { TransportEvents } from '../http/http-transport.js';
import { ADMISSION_MS, type Reception, refusalFrame } from '../reception.js';
import type { CometConnections } from './comet-connections.js';
import { CometTransport } from './comet-transport.js';
import { type CometRequests, readFrames, unknownKey } from './comet-requests.js';
import { LazyReceiver, receiverOf } from './receivers.js';
import type { RemoteRecvs } from './remote-recvs.js';

export interface CometRoutesParts {
  readonly config: Config;
  readonly core: CompatCore;
  readonly reception: Reception;
  readonly relay: CometRelay;
  readonly connections: CometConnections;
  readonly recvs: RemoteRecvs;
  readonly requests: CometRequests;
  readonly events: TransportEvents;
  readonly onFault: (error: unknown) => void;
}

/** Bytes of one forwarded `send`. */
const FORWARDED_BYTES = 256 * 1024;
const JSON_ONLY = 'the comet transport supports format=json only';

/** Whether a `recv` requests a single delivery; null: it does not specify. */
const asksForPoll = ({ query: { stream } }: HttpRequest): boolean | null =>
  stream === undefined || stream === '' ? null : stream === 'false';

/** Requests of the comet transport: this node answers them, or the node that holds the connection does. */
export class CometRoutes {
  constructor(private readonly parts: CometRoutesParts) {}

  readonly connect = async (request: HttpRequest, response: HttpResponse): Promise<void> => {
    try {
      await this.#connect(request, response);
    } catch (error) {
      const refusal = reported(error, this.parts.onFault);
      answerError(response, refusal, JSON.stringify([refusalFrame(refusal)]));
    }
  };

  readonly recv = (request: HttpRequest, response: HttpResponse): Promise<void> =>
    this.#answer(response, async () => {
      const { keyHash, principal } = await this.#key(request);
      if (response.finished) return;
      const appId = principal.app.id;
      const transport = this.parts.connections.find(keyHash);
      if (transport === null) return this.#recvElsewhere(request, response, appId, keyHash);
      if (transport.appId !== appId)
        throw new CompatError(40_101, 'the credentials are those of another app');
      transport.receive(receiverOf(asksForPoll(request) ?? transport.isPolling, response, transport));
    });

  readonly send = (request: HttpRequest, response: HttpResponse): Promise<void> =>
    this.#answer(response, async () => {
      const body = request.rawBody?.toString() ?? '';
      const { keyHash, principal } = await this.#key(request);
      const appId = principal.app.id;
      const here = this.parts.requests.apply(appId, { verb: 'send', keyHash, body });
      if (here !== null) return reply(response, here);
      for (const part of partsOf(readFrames(body))) {
        const there = await this.#forward(appId, { verb: 'send', keyHash, body: part });
        if (there.status !== 204) return reply(response, there);
      }
      answerJson(response, 204, null);
    });

  /** `close` or `disconnect`. */
  readonly ending =
    (verb: 'close' | 'disconnect') =>
    (request: HttpRequest, response: HttpResponse): Promise<void> =>
      this.#answer(response, async () => {
        const { keyHash, principal } = await this.#key(request);
        const ended = { verb, keyHash, body: null };
        const here = this.parts.requests.apply(principal.app.id, ended);
        reply(response, here ?? (await this.#forward(principal.app.id, ended)));
      });

  async #connect(request: HttpRequest, response: HttpResponse): Promise<void> {
    const { config, core, reception, connections, events } = this.parts;
    const { headers, refusal } = await reception.check(request);
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    if (refusal !== null) throw refusal;
    const arrival = arrivalOf(request, core, config, true);
    if (arrival?.manner.format !== 'json') throw new CompatError(40_000, JSON_ONLY);
    const transport = new CometTransport(arrival, events, connections);
    response.onAbort = () => transport.terminate();
    const { keyHash, hub } = await admitInTime(transport, arrival, reception);
    transport.appId = hub.appId;
    if (!transport.isOpen) return;
    connections.add(keyHash, transport);
    response.onAbort = null;
    transport.isPolling = asksForPoll(request) === true;
    transport.receive(receiverOf(transport.isPolling, response, transport));
  }

  async #recvElsewhere(
    request: HttpRequest,
    response: HttpResponse,
    appId: string,
    keyHash: string,
  ): Promise<void> {
    const { recvs } = this.parts;
    let id: string | null = null;
    const remove = (): void => void (id !== null && recvs.remove(id));
    const receiver = new LazyReceiver(response, { gone: remove, drained: () => {} });
    id = recvs.add(appId, receiver);
    if (id === null) throw new CompatError(50_003, 'too many forwarded requests');
    response.onAbort = remove;
    const isOnce = asksForPoll(request);
    try {
      const answer = await this.#forward(appId, { verb: 'recv', keyHash, receiver: id, isOnce, body: null });
      if (answer.status === 200) return void receiver.open(isPollingOf(answer));
      remove();
      if (!receiver.isStarted) reply(response, answer);
    } catch (error) {
      remove();
      if (receiver.isStarted) receiver.end();
      else throw error;
    }
  }

  /** Rejects with 404/80008 if no node holds the connection, with 503/50003 if its node does not answer. */
  async #forward(
    appId: string,
    request: Pick<CometRequest, 'body' | 'keyHash' | 'verb'> & Partial<CometRequest>,
  ): Promise<CometReply> {
    const answer = await this.parts.relay.forward(appId, { receiver: null, isOnce: null, ...request });
    if (answer === 'timeout')
      throw new CompatError(50_003, 'the node of the connection does not answer, retry');
    if (answer === null) throw unknownKey();
    return answer;
  }

  /** Rejects with a CompatError when the key or the credentials are not valid. */
  async #key(request: HttpRequest): Promise<{ readonly keyHash: string; readonly principal: Principal }> {
    const { query } = request;
    const keyHash = connectionKeyHash(request.params['connectionKey'] ?? '');
    const header = (name: string): string | undefined => request.header(name);
    const credentials = readCredentials({ query, header });
    const principal = await this.parts.core.authentication.prove(credentials, Date.now());
    if (keyHash === null) throw unknownKey();
    return { keyHash, principal };
  }

  async #answer(response: HttpResponse, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      answerError(response, reported(error, this.parts.onFault));
    }
  }
}

/** Rejects with 50003 when the admission takes too long; the transport is dropped then. */
async function admitInTime(
  transport: CometTransport,
  arrival: Arrival,
  reception: Reception,
): ReturnType<Reception['admit']> {
  let timer: NodeJS.Timeout | undefined;
  const isLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      transport.terminate();
      reject(new CompatError(50_003, 'the connection was not admitted in time'));
    }, ADMISSION_MS);
  });
  try {
    return await Promise.race([reception.admit(transport, arrival), isLate]);
  } finally {
    clearTimeout(timer);
  }
}

const isPollingOf = ({ body }: CometReply): boolean =>
  (JSON.parse(body ?? '{}') as { isOnce?: boolean }).isOnce === true;

const reply = (response: HttpResponse, { status, body }: CometReply): void => {
  const code =
    status < 400 || body === null ? null : (JSON.parse(body) as { error: { code: number } }).error.code;
  if (code !== null) response.setHeader('x-ably-errorcode', code);
  answerJson(response, status, body);
};

/** JSON arrays that each fit one forwarded request; a larger message is in one of its own. */
function* partsOf(frames: readonly JsonObject[]): Generator<string> {
  let part: string[] = [];
  let bytes = 0;
  for (const frame of frames) {
    const text = JSON.stringify(frame);
    const size = Buffer.byteLength(text);
    if (part.length > 0 && bytes + size > FORWARDED_BYTES) {
      yield `[${part.join(',')}]`;
      part = [];
      bytes = 0;
    }
    part.push(text);
    bytes += size;
  }
  if (part.length > 0) yield `[${part.join(',')}]`;
}

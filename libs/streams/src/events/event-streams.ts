import { ServiceError } from '@carillon/errors';
import type { App } from '@carillon/app-registry';
import type { CapabilityToken } from '@carillon/auth';
import type { Judged, SubscribeRequest } from '@carillon/sockets';
import { newSocketId } from '@carillon/protocol';
import type { HttpRequest, HttpResponse } from '@carillon/uws';
import { allowsEvents } from '../admission/accept.js';
import { channelRefusal, invalid, StreamRefusal, unavailable } from '../admission/refusal.js';
import { readPositionId, isStopMark } from '../position/position-id.js';
import { StreamPositions } from '../position/stream-positions.js';
import type { StreamParts } from '../parts.js';
import { StreamConnection } from '../transport/stream-connection.js';
import { EventOutput } from './event-output.js';
import { type EventRequest, lastEventIdOf, readEventRequest } from './event-request.js';
import { Opening, type ReceivedPart, receivedPart } from './opening.js';
import { queryMember } from './request-members.js';

/** A channel of a stream that is about to be joined. */
interface Plan {
  readonly frame: SubscribeRequest;
  readonly judged: Judged;
  readonly received: ReceivedPart;
}

/** Opens event streams. */
export class EventStreams {
  constructor(private readonly parts: StreamParts) {}

  /** Answers one request. Throws the refusal. */
  async open(request: HttpRequest, response: HttpResponse): Promise<void> {
    const { admission, settings, connectRules } = this.parts;
    if (isStopMark(lastEventIdOf(request, queryMember(new URLSearchParams(request.rawQuery)))))
      return this.#stop(response);
    if (!allowsEvents(request.header('accept')))
      throw new StreamRefusal(new ServiceError('not_acceptable'), { label: 'invalid' });
    admission.requireOpen();
    await admission.requireWithinLimit(request, response);
    const wanted = readEventRequest(request, {
      connect: connectRules,
      maxChannels: settings.maxChannels,
      maxBodyBytes: settings.maxFrameBytes,
    });
    if (isStopMark(wanted.lastEventId)) return this.#stop(response);
    const app = await admission.app(request);
    admission.requirePlace(app);
    const token = wanted.token === null ? null : await admission.token(app, wanted.token);
    if (response.finished) return;
    await this.#openFor(app, token, wanted, response);
  }

  /** Answers a client that must not reconnect with a status after which browsers do not retry. */
  #stop(response: HttpResponse): void {
    this.parts.metrics.refused(null, 'stopped', false);
    response.answer({ status: 204, headers: { 'cache-control': 'no-store' } });
  }

  async #openFor(
    app: App,
    token: CapabilityToken | null,
    wanted: EventRequest,
    response: HttpResponse,
  ): Promise<void> {
    const { hub, speeches, admission } = this.parts;
    const speech = await speeches.of(wanted.connect);
    const connection = new StreamConnection(
      newSocketId(),
      hub.hubs.of(app),
      speech,
      'events',
      wanted.ticket ?? undefined,
    );
    let plans: readonly Plan[] = [];
    try {
      plans = this.#plan(connection, token, wanted);
      connection.holdsPlace = await admission.takePlace(app);
      admission.requirePlace(app);
    } catch (error) {
      for (const { judged } of plans) judged.view?.release();
      hub.places.giveBack(connection);
      throw error;
    }
    await this.#join(connection, plans, token, response);
  }

  /** Judges every channel before any is joined: a request that is refused subscribes to nothing. */
  #plan(connection: StreamConnection, token: CapabilityToken | null, wanted: EventRequest): readonly Plan[] {
    const { subscribe, names } = this.parts;
    const received = readPositionId(
      wanted.lastEventId,
      wanted.entries.map(({ channel }) => channel),
    );
    connection.token = token;
    if (token !== null) connection.identity = identityOf(token);
    const plans: Plan[] = [];
    try {
      for (const [index, entry] of wanted.entries.entries()) {
        const frame = this.#frameOf(connection, entry, names.toWire('service:subscribe'));
        const judged = subscribe.judge(connection, frame);
        plans.push({ frame, judged, received: receivedPart(received, index) });
        if (judged.verdict.kind === 'refused') throw channelRefusal(judged.verdict);
      }
      return plans;
    } catch (error) {
      for (const { judged } of plans) judged.view?.release();
      throw error;
    } finally {
      // The identity is set when the connection is admitted.
      connection.identity = null;
    }
  }

  /** A channel is read by the same rules as a subscribe frame of a socket. */
  #frameOf(connection: StreamConnection, data: object, event: string): SubscribeRequest {
    const bytes = new TextEncoder().encode(JSON.stringify({ event, data }));
    const frame = connection.speech.read(bytes.buffer);
    if (frame.kind === 'subscribe') return { ...frame, delta: undefined };
    if ('error' in frame) throw invalid(frame.error.message, frame.error.channel);
    throw invalid('channels must hold names or objects');
  }

  async #join(
    connection: StreamConnection,
    plans: readonly Plan[],
    token: CapabilityToken | null,
    response: HttpResponse,
  ): Promise<void> {
    const { settings, connections, subscribe, retry, names, metrics } = this.parts;
    const positions = new StreamPositions(
      plans.map(({ frame, received }) => ({
        channel: frame.channel,
        rewinds: frame.rewind !== null,
        received: received?.part ?? null,
      })),
    );
    const { appId } = connection.hub;
    const output = new EventOutput(
      positions,
      { first: () => retry.of('open'), closed: (code) => retry.closed(code) },
      names,
      (outcome) => metrics.resumed(appId, outcome),
    );
    const opening = new Opening(plans.length, positions);
    connections.admit(connection, output, response, token);
    connection.onEnded = () => opening.refuse(unavailable('The stream has ended'));
    const joined = plans.map(({ frame, judged, received }, index) => {
      const stages = opening.stages(index, frame.channel, received);
      return subscribe.join(connection, frame, judged, stages);
    });
    const late = setTimeout(
      () => opening.refuse(unavailable('The channels cannot be joined in time, retry')),
      settings.openTimeoutMs,
    );
    const refusal = await opening.ready;
    clearTimeout(late);
    if (refusal === null && connections.open(connection, response)) {
      await this.#tell(connection, plans, positions, opening, joined);
    } else {
      connections.discard(connection);
      opening.releaseAll();
      if (refusal !== null && !response.finished) throw refusal;
    }
  }

  /** Sends the messages before the live ones of each channel, one channel after another. */
  async #tell(
    connection: StreamConnection,
    plans: readonly Plan[],
    positions: StreamPositions,
    opening: Opening,
    joined: readonly (Promise<void> | undefined)[],
  ): Promise<void> {
    connection.onEnded = () => opening.releaseAll();
    for (const [index, { frame }] of plans.entries()) {
      opening.release(index);
      await joined[index];
      positions.settled(frame.channel);
    }
    connection.onEnded = null;
    const filtered = plans.filter(({ frame }) => frame.filter !== null);
    this.parts.clock.follow(
      connection,
      plans.map(({ frame }) => frame.channel),
      positions,
      filtered.length > 0,
    );
  }
}

const identityOf = (token: CapabilityToken) => ({
  userId: token.clientId,
  userInfoText: '{}',
  metaText: null,
  watchlist: [],
  capabilities: token.capabilities,
  isOnline: false,
});

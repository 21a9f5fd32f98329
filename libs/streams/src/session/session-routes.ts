import type { App } from '@carillon/app-registry';
import { ServiceError } from '@carillon/errors';
import { newSocketId } from '@carillon/protocol';
import type { SessionAnswer, SessionRequest } from '@carillon/realtime';
import type { HttpRequest, HttpResponse } from '@carillon/uws';
import { allowsEvents, bearerToken, names } from '../admission/accept.js';
import { invalid, StreamRefusal } from '../admission/refusal.js';
import { tooLarge } from '../events/event-body.js';
import { v2Options } from '../events/event-request.js';
import type { StreamParts } from '../parts.js';
import { NDJSON, type Output } from '../transport/output.js';
import { StreamConnection } from '../transport/stream-connection.js';
import { isOfNode, isSessionId, newSecret, newSessionId, secretHash } from './session-id.js';
import { SessionEvents, SessionLines } from './session-output.js';
import type { Sessions } from './sessions.js';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Opens sessions, and takes the frames of their clients on any node. */
export class SessionRoutes {
  constructor(
    private readonly parts: StreamParts,
    private readonly sessions: Sessions,
  ) {}

  /** Throws if the session is refused. */
  async open(request: HttpRequest, response: HttpResponse): Promise<void> {
    const { admission, settings, connectRules, speeches, hub, connections } = this.parts;
    const output = this.#outputOf(request);
    admission.requireOpen();
    await admission.requireWithinLimit(request, response);
    if ((request.rawBody?.length ?? 0) > settings.maxFrameBytes)
      throw tooLarge(`The body is larger than ${settings.maxFrameBytes} bytes`);
    const options = v2Options(queryOf(request), connectRules);
    const text = bearerToken(request.header('authorization')) ?? tokenIn(request) ?? options.token;
    const app = await admission.app(request);
    admission.requirePlace(app);
    const token = text === null ? null : await admission.token(app, text);
    const speech = await speeches.of(options);
    const holdsPlace = await admission.takePlace(app);
    const connection = new StreamConnection(newSocketId(), hub.hubs.of(app), speech, 'session');
    connection.holdsPlace = holdsPlace;
    try {
      admission.requirePlace(app);
    } catch (error) {
      hub.places.giveBack(connection);
      throw error;
    }
    if (response.finished) return hub.places.giveBack(connection);
    connections.admit(connection, output, response, token);
    const session = newSessionId(hub.sessions.nodeId);
    const secret = newSecret();
    this.sessions.add(session, connection, secretHash(secret));
    if (!connections.open(connection, response, { session, secret })) connections.discard(connection);
  }

  /** Frames of the client of a session. */
  async post(request: HttpRequest, response: HttpResponse): Promise<void> {
    const { settings } = this.parts;
    if ((request.rawBody?.length ?? 0) > settings.sessionPostMaxBytes)
      throw new ServiceError('payload_too_large', {
        text: `The body is larger than ${settings.sessionPostMaxBytes} bytes`,
      });
    await this.#pass(request, response, bodyText(request));
  }

  /** The end of a session by its client. */
  async end(request: HttpRequest, response: HttpResponse): Promise<void> {
    await this.#pass(request, response, null);
  }

  async #pass(request: HttpRequest, response: HttpResponse, frames: string | null): Promise<void> {
    const app = await this.#app(request);
    const session = request.params['session'] ?? '';
    if (!isSessionId(session)) throw new ServiceError('session_not_found');
    const secret = bearerToken(request.header('authorization'));
    if (secret === null)
      throw new ServiceError('auth_failed', { text: 'Authorization must be Bearer <secret>' });
    const about: SessionRequest = { session, secretHash: secretHash(secret), frames };
    const answer = this.sessions.answer(app.id, about) ?? (await this.#forward(app, about));
    response.setHeader('cache-control', 'no-store');
    response.statusCode = answer.status;
    response.end(answer.body, answer.body === '' ? '' : 'application/json');
  }

  async #app(request: HttpRequest): Promise<App> {
    try {
      return await this.parts.admission.app(request);
    } catch (error) {
      // An app that is gone or disabled has no sessions.
      if (error instanceof StreamRefusal) throw error.error;
      throw error;
    }
  }

  async #forward(app: App, about: SessionRequest): Promise<SessionAnswer> {
    const { hub, settings, metrics } = this.parts;
    const isNode = (nodeId: string): boolean => isOfNode(about.session, nodeId);
    const answer = await hub.sessions.forward(isNode, app.id, about, settings.forwardTimeoutMs);
    if (answer === 'unknown') {
      metrics.forwarded(app.id, 'not_found');
      throw new ServiceError('session_not_found');
    }
    if (answer === 'silent') {
      metrics.forwarded(app.id, 'timeout');
      throw new ServiceError('service_unavailable', {
        text: 'The node of the session does not answer, retry',
        retryAfterSeconds: 1,
      });
    }
    metrics.forwarded(app.id, 'ok');
    return answer;
  }

  #outputOf(request: HttpRequest): Output {
    const accept = request.header('accept');
    if (names(accept, NDJSON)) return new SessionLines(this.parts.names);
    if (allowsEvents(accept)) return new SessionEvents(this.parts.names);
    throw new StreamRefusal(new ServiceError('not_acceptable'), { label: 'invalid' });
  }
}

/** The query of an upgrade, whose protocol and format are these alone. */
function queryOf(request: HttpRequest): string {
  const query = new URLSearchParams(request.rawQuery);
  const protocol = query.get('protocol');
  if (protocol !== null && protocol !== '2') throw invalid('protocol must be 2');
  const format = query.get('format') ?? '';
  if (format !== '' && format !== 'json') throw invalid('format must be json');
  query.set('protocol', '2');
  return query.toString();
}

function tokenIn(request: HttpRequest): string | null {
  let body: unknown;
  try {
    body = request.body;
  } catch {
    throw invalid('the body is not valid JSON');
  }
  if (body === undefined) return null;
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalid('the body must be a JSON object');
  const { token } = body as { readonly token?: unknown };
  if (token === undefined || token === null || token === '') return null;
  if (typeof token !== 'string') throw invalid('token must be a text');
  return token;
}

function bodyText(request: HttpRequest): string {
  try {
    return request.rawBody === undefined ? '' : utf8.decode(request.rawBody);
  } catch {
    throw new ServiceError('invalid_input', { text: 'the body is not UTF-8' });
  }
}

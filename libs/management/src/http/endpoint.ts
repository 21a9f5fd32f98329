import { randomUUID } from 'node:crypto';
import { ServiceError, toServiceError } from '@carillon/errors';
import { bounded, type ProcessState } from '@carillon/runtime';
import type { AfterBody, Endpoint, EndpointBody, HttpRequest, HttpResponse } from '@carillon/uws';
import type { RunningEntry } from '../audit/audit-log.js';
import { AuditDraft } from '../audit/draft.js';
import type { AuditAction } from '../audit/entry.js';
import { authenticate, type Credential } from '../auth/authenticate.js';
import { checkCsrfToken, checkOrigin } from '../auth/cross-site.js';
import type { Meter } from '../meter.js';
import type { ManagementParts } from '../parts.js';
import type { Route } from '../routes/route.js';
import { checkScope, checkVisibility } from './authorize.js';
import type { Call } from './call.js';
import { checkContentType, readBody } from './input.js';
import { type MatchedRoute, RouteMatcher } from './matching.js';
import { readQuery } from './query.js';
import type { Reply } from './reply.js';
import { crossSiteRules, transportOf } from './transport.js';

const REQUEST_TIMEOUT_MS = 30_000;

const HEADERS: readonly string[] = Object.entries({
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
}).flat();

/** What the route makes of query and body. */
type Input = Pick<Call, 'body' | 'query' | 'rawBody'>;

/** A request whose route is known. */
interface Incoming {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  readonly requestId: string;
  readonly startedMs: number;
  readonly match: MatchedRoute;
  /** Null until the credential was checked, and for routes that need none. */
  credential: Credential | null;
  release: () => void;
}

const nothing = (): void => undefined;

/** Everything below `/manage`: the order of checks from the first byte of a request to its answer. */
export class ManagementEndpoint implements Endpoint {
  readonly headers = HEADERS;
  readonly #matcher: RouteMatcher;

  constructor(
    routes: readonly Route[],
    private readonly parts: ManagementParts,
    private readonly process: Pick<ProcessState, 'current'>,
    private readonly meter: Meter,
  ) {
    this.#matcher = new RouteMatcher(routes);
  }

  get bodyLimitBytes(): number {
    return this.parts.settings().max_body_bytes;
  }

  begin(request: HttpRequest, response: HttpResponse): null | Promise<AfterBody | null> {
    const requestId = randomUUID();
    response.setHeader('x-request-id', requestId);
    let match: MatchedRoute;
    try {
      match = this.#matcher.match(request);
    } catch (error) {
      this.meter.finished('unknown', request.method, response, error, performance.now());
      response.fail(error);
      return null;
    }
    request.route = `/manage/v1${match.route.path}`;
    const startedMs = performance.now();
    return this.#enter({
      request,
      response,
      requestId,
      startedMs,
      match,
      credential: null,
      release: nothing,
    });
  }

  /** Steps 2 to 8 of the order, as far as they need no body. */
  async #enter(incoming: Incoming): Promise<AfterBody | null> {
    const { request, response, match } = incoming;
    try {
      if (this.process.current !== 'RUNNING') throw new ServiceError('service_unavailable');
      await this.#identify(incoming);
      checkContentType(match.route, request);
      // A client that disconnects while it sends its body never reaches the next step.
      if (response.aborted) incoming.release();
      else response.onAbort = incoming.release;
      return (body) => this.#serve(incoming, body);
    } catch (error) {
      incoming.release();
      await this.#refuse(incoming, error);
      return null;
    }
  }

  async #identify(incoming: Incoming): Promise<void> {
    const { request, response, match } = incoming;
    const { parts } = this;
    const rules = crossSiteRules({ management: parts.settings(), ssl: parts.config.ssl });
    if (match.route.scope === null) return checkOrigin(request, rules);
    const config = { management: parts.settings(), ssl: parts.config.ssl };
    const credential = await authenticate(request, config, parts);
    incoming.credential = credential;
    const { principal, session } = credential;
    if (session !== null) {
      this.meter.sessionUsed(session);
      checkOrigin(request, rules);
      checkCsrfToken(request, session.csrfToken);
    }
    await parts.limits.admitRequest(principal, response);
    incoming.release = parts.limits.occupy(principal);
    await checkVisibility(match, principal, parts.apps);
    checkScope(match, principal);
  }

  async #serve(incoming: Incoming, body: EndpointBody): Promise<void> {
    const { response, match } = incoming;
    response.onAbort = null;
    let input: Input;
    try {
      const query = readQuery(incoming.request.rawQuery, match.route.query);
      const rawBody = body.kind === 'read' ? body.bytes : undefined;
      input = { query, body: readBody(match.route, body), rawBody };
    } catch (error) {
      incoming.release();
      return this.#refuse(incoming, error);
    }
    await this.#perform(incoming, input).finally(incoming.release);
  }

  async #perform(incoming: Incoming, input: Input): Promise<void> {
    const { match, response } = incoming;
    const draft = draftOf(match);
    const action = actionOf(match.route, input.query as Readonly<Record<string, unknown>>);
    let entry: RunningEntry | null = null;
    try {
      entry = action === null ? null : await this.parts.audit.begin(this.#subject(incoming, action), draft);
      const reply = await this.#handled(incoming, input, draft);
      await entry?.complete('stream' in reply ? 200 : reply.status);
      this.#send(incoming, reply);
    } catch (error) {
      await entry?.complete(toServiceError(error).status);
      this.#fail(incoming, error);
    }
    this.meter.finished(match.route.path, match.route.method, response, null, incoming.startedMs);
  }

  async #handled(incoming: Incoming, input: Input, draft: AuditDraft): Promise<Reply> {
    const { response, match } = incoming;
    const gone = new AbortController();
    response.onAbort = () => gone.abort();
    const outcome = await bounded(
      match.route.isStream ? REQUEST_TIMEOUT_MS * 2 : REQUEST_TIMEOUT_MS,
      (signal) => match.route.handle(this.#call(incoming, input, draft, signal), this.parts),
      gone.signal,
    );
    if (outcome.kind === 'done') return outcome.value;
    if (outcome.kind === 'failed') throw outcome.error;
    throw new ServiceError('service_unavailable', { text: 'the request took too long' });
  }

  #call(
    { request, response, requestId, match, credential }: Incoming,
    input: Input,
    audit: AuditDraft,
    signal: AbortSignal,
  ): Call {
    const { parts } = this;
    const headers = { ...request.headers };
    const address = request.ip;
    const transport = transportOf(request, { management: parts.settings(), ssl: parts.config.ssl });
    return {
      requestId,
      principal: credential?.principal ?? NOBODY,
      session: credential?.session ?? null,
      address,
      transport,
      params: match.params,
      ...input,
      header: (name) => headers[name],
      signal: response.aborted ? AbortSignal.abort() : signal,
      audit,
      isStillAuthorized: () => this.#isStillAuthorized(credential, headers['authorization']),
    };
  }

  async #isStillAuthorized(credential: Credential | null, header: string | undefined): Promise<boolean> {
    if (credential === null) return false;
    if (credential.session !== null) return this.parts.sessions.exists(credential.session);
    const now = this.parts.principals().ofHeader(header ?? '', Date.now());
    return typeof now !== 'string' && now.name === credential.principal.name;
  }

  #send({ response }: Incoming, reply: Reply): void {
    response.onAbort = null;
    for (const [name, value] of Object.entries(reply.headers ?? {})) response.setHeader(name, value);
    if ('stream' in reply) {
      response.setHeader('content-type', 'text/event-stream');
      const stream = response.openStream();
      if (stream !== null) reply.stream(stream);
      return;
    }
    response.statusCode = reply.status;
    if (reply.body === undefined) response.end();
    else response.end(JSON.stringify(reply.body), 'application/json');
  }

  /** Answers a request that was refused before its effect. Those of an unknown sender are not audited. */
  async #refuse(incoming: Incoming, error: unknown): Promise<void> {
    const { match, credential, response } = incoming;
    const { status } = toServiceError(error);
    const isAudited = match.route.method !== 'GET' && credential !== null && status !== 401;
    const action = isAudited ? actionOf(match.route, {}) : null;
    if (action !== null)
      await this.parts.audit.refused(this.#subject(incoming, action), draftOf(match), status);
    this.#fail(incoming, error);
    this.meter.finished(match.route.path, match.route.method, response, null, incoming.startedMs);
  }

  #subject({ request, requestId, match, credential }: Incoming, action: AuditAction) {
    return {
      action,
      method: match.route.method,
      principal: credential?.principal.name ?? '',
      sessionHash: credential?.session?.hash ?? null,
      address: request.ip,
      requestId,
    };
  }

  #fail({ requestId, match, response }: Incoming, thrown: unknown): void {
    const error = toServiceError(thrown);
    if (error.status >= 500)
      this.parts.log.warn('management request failed', {
        request_id: requestId,
        route: match.route.path,
        error: error.cause ?? error,
      });
    response.fail(error);
  }
}

/** Of routes that need no credential. */
const NOBODY: Call['principal'] = {
  name: '',
  scopes: new Set(),
  apps: new Set(),
  proof: '',
  expiresAtMs: null,
};

const draftOf = ({ params }: MatchedRoute): AuditDraft => {
  const appId = params['app_id'] ?? null;
  const target = params['channel'] ?? params['socket_id'] ?? params['user_id'] ?? params['id'];
  return new AuditDraft(appId, target ?? params['webhook_id'] ?? appId);
};

const actionOf = ({ action }: Route, query: Readonly<Record<string, unknown>>): AuditAction | null =>
  typeof action === 'function' ? action(query) : action;

import type { HttpRequest, HttpResponse } from '@carillon/uws';
import type { Audit, RejectReason } from '../audit/audit.js';
import { judgeHost } from '../guards/hosts.js';
import type { Limits } from '../guards/limits.js';
import { accepts, isJsonType } from '../guards/media-types.js';
import { isOriginAllowed } from '../guards/origins.js';
import type { AuthFailure, Principal } from '../guards/principals.js';
import { CODES, RpcFailure, unavailable } from '../rpc/failure.js';
import type { Settings } from '../settings.js';

export interface EntranceParts {
  readonly settings: () => Settings;
  readonly limits: Limits;
  readonly audit: Audit;
  /** Whether the process serves: started and not draining. */
  readonly isServing: () => boolean;
  readonly meter: EntranceMeter;
}

export interface EntranceMeter {
  authFailed(reason: AuthFailure): void;
  rateLimited(principal: string): void;
}

const ALLOW = 'GET, POST, DELETE';
const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'DELETE', 'OPTIONS']);
const REALM = 'Bearer realm="service-mcp"';
const JSON_TYPE = 'application/json';
const STREAM_TYPE = 'text/event-stream';

const refuse = (status: number, message: string): RpcFailure =>
  new RpcFailure(status, CODES.transport, message);

/** Checks before the protocol, in this order. Each refuses by throwing an `RpcFailure`. */
export class Entrance {
  constructor(private readonly parts: EntranceParts) {}

  /** Steps that nothing has to be waited for; true: it was a preflight and is answered. */
  greet(request: HttpRequest, response: HttpResponse): boolean {
    const { method } = request;
    if (!METHODS.has(method)) {
      throw new RpcFailure(405, CODES.transport, 'method not allowed', { headers: { allow: ALLOW } });
    }
    if (!this.parts.isServing()) throw unavailable('the service is not ready');
    const { hosts, mcp } = this.parts.settings();
    if (judgeHost(request.headers['host'], hosts) === 'no') throw this.#reject('host', request, null);
    const origin = request.headers['origin'];
    if (origin !== undefined) {
      if (!isOriginAllowed(origin, mcp.allowed_origins)) throw this.#reject('origin', request, null);
      shareWith(origin, response);
    }
    if (method !== 'OPTIONS') return false;
    if (origin === undefined) throw this.#reject('origin', request, null);
    preflight(response);
    return true;
  }

  /** Authenticates a request. A valid token is accepted, however many failures its address has. */
  async identify(request: HttpRequest): Promise<Principal> {
    try {
      return await this.#identify(request);
    } catch (error) {
      throw this.#limited(error, request, 'unknown');
    }
  }

  /** Checks the rate limits of the principal; the returned function is called after the answer. */
  async admit(principal: Principal, request: HttpRequest, response: HttpResponse): Promise<() => void> {
    const { limits } = this.parts;
    try {
      await limits.ofPrincipal(principal, request.ip, response);
      return limits.run(principal);
    } catch (error) {
      throw this.#limited(error, request, principal.name);
    }
  }

  /** The further items of an array each count like a request. */
  async admitMore(
    principal: Principal,
    request: HttpRequest,
    response: HttpResponse,
    more: number,
  ): Promise<void> {
    try {
      await this.parts.limits.ofPrincipal(principal, request.ip, response, more);
    } catch (error) {
      throw this.#limited(error, request, principal.name);
    }
  }

  checkTypes(request: HttpRequest): void {
    const { method, headers } = request;
    if (method === 'POST' && !isJsonType(headers['content-type']))
      throw refuse(415, `the content type must be ${JSON_TYPE}`);
    const wanted = method === 'POST' ? [JSON_TYPE, STREAM_TYPE] : method === 'GET' ? [STREAM_TYPE] : [];
    if (!accepts(headers['accept'], wanted)) throw refuse(406, `Accept must allow ${wanted.join(' and ')}`);
  }

  tooLarge(request: HttpRequest, principal: Principal): RpcFailure {
    this.parts.audit.rejected('size', request.ip, principal.name);
    return new RpcFailure(413, CODES.bodySize, 'the body is too large');
  }

  async #identify(request: HttpRequest): Promise<Principal> {
    const { limits, settings, meter, audit } = this.parts;
    await limits.ofAddress(request.ip);
    const { principals, hosts } = settings();
    const principal = principals.of(request.headers['authorization']);
    if (typeof principal !== 'string') {
      const needsToken = judgeHost(request.headers['host'], hosts) === 'with a token';
      if (principal.isAnonymous && needsToken) throw this.#reject('host', request, principal);
      return principal;
    }
    if (principal !== 'missing') await limits.failedLogin(request.ip);
    meter.authFailed(principal);
    audit.authFailed(principal, request.ip);
    throw new RpcFailure(401, CODES.token, 'bearer token required', {
      headers: { 'www-authenticate': principal === 'missing' ? REALM : `${REALM}, error="invalid_token"` },
    });
  }

  #limited(error: unknown, request: HttpRequest, principal: string): unknown {
    if (error instanceof RpcFailure && error.code === CODES.rate) {
      this.parts.meter.rateLimited(principal);
      this.parts.audit.rejected('rate', request.ip, principal);
    }
    return error;
  }

  #reject(reason: RejectReason, request: HttpRequest, principal: Principal | null): RpcFailure {
    this.parts.audit.rejected(reason, request.ip, principal?.name ?? null);
    return refuse(403, `this ${reason} is not allowed`);
  }
}

function shareWith(origin: string, response: HttpResponse): void {
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('vary', 'Origin');
  response.setHeader(
    'access-control-expose-headers',
    'MCP-Session-Id, MCP-Protocol-Version, WWW-Authenticate, Retry-After',
  );
}

function preflight(response: HttpResponse): void {
  response.setHeader('access-control-allow-methods', 'GET, POST, DELETE, OPTIONS');
  response.setHeader(
    'access-control-allow-headers',
    'Authorization, Content-Type, Accept, MCP-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Last-Event-ID',
  );
  response.setHeader('access-control-max-age', '600');
  response.statusCode = 204;
  response.end();
}

import type { AfterBody, Endpoint, EndpointBody, HttpRequest, HttpResponse } from '@carillon/uws';
import type { Principal } from '../guards/principals.js';
import { CODES, RpcFailure, unavailable } from '../rpc/failure.js';
import { readBody } from '../rpc/read-message.js';
import { isStatelessVersion } from '../rpc/revisions.js';
import { isStatelessMessage } from '../rpc/stateless.js';
import type { Settings } from '../settings.js';
import { commonHeaders, failureOf, sendFailure } from './answers.js';
import type { Entrance } from './entrance.js';
import { Exchange } from './exchange.js';
import type { Sessionful } from './sessionful.js';
import type { Stateless } from './stateless.js';

export interface EndpointParts {
  readonly settings: () => Settings;
  readonly entrance: Entrance;
  readonly sessionful: Sessionful;
  readonly stateless: Stateless;
  readonly meter: { requested(outcome: string): void; fault(error: unknown): void };
}

/** No slot to release yet. */
const stay = (): void => undefined;
const VERSION_HEADER = 'mcp-protocol-version';

/** The one path of the protocol: the way of every request from its first byte to its answer. */
export class McpEndpoint implements Endpoint {
  constructor(private readonly parts: EndpointParts) {}

  get bodyLimitBytes(): number {
    return this.parts.settings().mcp.max_body_bytes;
  }

  begin(request: HttpRequest, response: HttpResponse): null | Promise<AfterBody | null> {
    commonHeaders(response);
    try {
      if (this.parts.entrance.greet(request, response)) return null;
    } catch (error) {
      this.#fail(response, error);
      return null;
    }
    return this.#enter(request, response);
  }

  async #enter(request: HttpRequest, response: HttpResponse): Promise<AfterBody | null> {
    const { entrance } = this.parts;
    let leave = stay;
    try {
      const principal = await entrance.identify(request);
      leave = await entrance.admit(principal, request, response);
      entrance.checkTypes(request);
      // A client that has disconnected, or does so while sending its body, never reaches the next step.
      if (response.aborted) leave();
      else response.onAbort = leave;
      return (body) => {
        // From here on its slot is held until the work is done, even after a disconnect.
        response.onAbort = null;
        return this.#serve(new Exchange(request, response, principal), body).finally(leave);
      };
    } catch (error) {
      leave();
      this.#fail(response, error);
      return null;
    }
  }

  async #serve(exchange: Exchange, body: EndpointBody): Promise<void> {
    const { request, response, principal } = exchange;
    try {
      if (request.method !== 'POST') await this.#withoutBody(exchange);
      else await this.#post(exchange, this.#bytesOf(body, request, principal));
      this.parts.meter.requested(response.aborted ? 'aborted' : 'ok');
    } catch (error) {
      this.#fail(response, error);
    }
  }

  #bytesOf(body: EndpointBody, request: HttpRequest, principal: Principal): Buffer | undefined {
    if (body.kind === 'too_large') throw this.parts.entrance.tooLarge(request, principal);
    if (body.kind === 'read') return body.bytes;
    throw unavailable('too many request bodies at once');
  }

  async #post(exchange: Exchange, bytes: Buffer | undefined): Promise<void> {
    const received = readBody(bytes);
    const isStateless =
      isStatelessMessage(received.items[0]) || isStatelessVersion(exchange.header(VERSION_HEADER));
    const era = isStateless ? this.parts.stateless : this.parts.sessionful;
    await era.post(exchange, received);
  }

  async #withoutBody(exchange: Exchange): Promise<void> {
    const { sessionful } = this.parts;
    if (isStatelessVersion(exchange.header(VERSION_HEADER))) {
      throw new RpcFailure(405, CODES.transport, 'this revision knows POST only', {
        headers: { allow: 'POST' },
      });
    }
    await (exchange.request.method === 'GET' ? sessionful.get(exchange) : sessionful.delete(exchange));
  }

  #fail(response: HttpResponse, error: unknown): void {
    const { meter } = this.parts;
    if (!(error instanceof RpcFailure)) meter.fault(error);
    const failure = failureOf(error, 500);
    meter.requested(OUTCOMES[failure.status] ?? 'error');
    sendFailure(response, failure, null);
  }
}

const OUTCOMES: Readonly<Record<number, string>> = {
  401: 'denied',
  403: 'denied',
  429: 'limited',
  503: 'unavailable',
};

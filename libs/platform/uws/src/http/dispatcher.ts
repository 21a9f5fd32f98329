import { ServiceError } from '@carillon/errors';
import type { HttpRequest as NativeRequest, HttpResponse as NativeResponse } from 'uWebSockets.js';
import { isTracing, startSpan, traceOfHeaders, within } from '@carillon/tracing';
import { type Answer, errorAnswer } from './answer.js';
import { announcesBody, BodyReader } from './body.js';
import { BodyRoom } from './body-room.js';
import type { Cors } from './cors.js';
import { type Endpoint, serveEndpoint } from './endpoint.js';
import { type ErrorLayer, runHandlers } from './handlers.js';
import { invalidPath } from './path.js';
import type { PathPrefix } from './path-prefix.js';
import { HttpRequest } from './request.js';
import { HttpResponse, type ResponseOwner } from './response.js';
import { withoutTrailingSlash } from './router.js';
import { type HandledTarget, Routes } from './routes.js';

/** Longest request head that is answered; longer ones get 431. The promise is 32 KiB, the rest is slack. */
const MAX_HEAD_BYTES = 33 * 1024;

/** Formats an error for the clients of a path; other answers are returned unchanged. */
export type ErrorWords = (answer: Answer, path: string) => Answer;

/** Methods whose bodies are counted but ignored. */
const IGNORED_BODIES = new Set(['GET', 'HEAD', 'DELETE']);

/** Called with every finished request. Status 0: the client disconnected before the answer. */
export type FinishedObserver = (
  template: string,
  method: string,
  status: number,
  seconds: number,
  bytesIn: number,
  bytesOut: number,
) => void;

/** Options of the pipeline, documented in `AdapterOptions`. */
export interface DispatcherOptions {
  readonly bodyLimitBytes: number;
  readonly bodyRoomBytes: number;
  readonly trustHops: number;
  readonly cors: Cors | null;
  readonly prefix: PathPrefix;
}

/** An error after which the connection is closed. */
function lastAnswer(error: ServiceError): Answer {
  const answer = errorAnswer(error);
  return { ...answer, headers: { ...answer.headers, connection: 'close' } };
}

const noRoom = (): ServiceError =>
  new ServiceError('service_unavailable', { text: 'too many request bodies at once', retryAfterSeconds: 1 });

const bringsBody = (request: HttpRequest): boolean =>
  announcesBody(request.header('content-length'), request.header('transfer-encoding'));

/** 0 where none is declared: such a body is counted as it comes. */
const declaredLength = (request: HttpRequest): number => Number(request.header('content-length') ?? 0);

const ambiguous = (): ServiceError =>
  new ServiceError('invalid_input', { text: 'the length of the request is ambiguous' });

function endSpan({ span, aborted, statusCode }: HttpResponse): void {
  if (span === null) return;
  span.set('http.response.status_code', aborted ? 0 : statusCode);
  if (aborted || statusCode >= 500) span.fail();
  span.end();
}

/** The way of a request from the native callback to its handler: every step of the pipeline, in order. */
export class Dispatcher implements ResponseOwner {
  readonly routes: Routes;
  /** Asked first; an answer ends the request. */
  gate: ((request: HttpRequest) => Answer | null) | null = null;
  /** Asked once the route is known and before the body is read; may set headers on the response. */
  admission:
    | ((request: HttpRequest, response: HttpResponse) => Answer | null | Promise<Answer | null>)
    | null = null;
  /** Whether a request is answered by its route although new ones are refused; null: none is. */
  servesWhileRefusing: ((request: HttpRequest) => boolean) | null = null;
  /** Seconds for which a browser may keep the answer to a preflight; null: as long as browsers do. */
  preflightMaxAge: ((request: HttpRequest) => number | null) | null = null;
  /** Null: errors have one form everywhere. */
  errorWords: ErrorWords | null = null;
  observer: FinishedObserver | null = null;
  onFault: (error: ServiceError, request: HttpRequest) => void = () => {};
  /** Nest's exception layer, for errors handed to `next`; until it is set they are answered directly. */
  errorLayer: ErrorLayer | null = null;
  refusesNew = false;
  inFlight = 0;

  readonly bodyRoom: BodyRoom;
  readonly #options: DispatcherOptions;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.routes = new Routes(options.prefix);
    this.bodyRoom = new BodyRoom(options.bodyRoomBytes);
  }

  /** Makes our objects for a native pair, which are then safe to use at any time; the native ones are not. */
  open(native: NativeResponse, nativeRequest: NativeRequest): HttpResponse {
    const request = new HttpRequest(nativeRequest, native, this.#options.trustHops);
    const response = new HttpResponse(native, request, this);
    // Before anything else: the native side ends the process when a callback returns without an answer or this, and an
    // answer to a client that is going may count as none.
    native.onAborted(() => response.abort());
    if (request.isFramed)
      native.onData((_chunk, isLast) => {
        if (isLast) response.bodyEnded();
      });
    const { cors } = this.#options;
    if (cors !== null) response.fixedHeaders = cors.headersFor(request.header('origin'));
    if (this.observer !== null) response.startedAtMs = performance.now();
    this.inFlight += 1;
    return response;
  }

  /** The native catch-all handler. */
  readonly accept = (native: NativeResponse, nativeRequest: NativeRequest): void => {
    const response = this.open(native, nativeRequest);
    try {
      this.#begin(native, response);
    } catch (error) {
      response.fail(error);
    }
    response.takeTurn();
  };

  finished(response: HttpResponse): void {
    const { request } = response;
    this.inFlight -= 1;
    request.ended();
    response.body?.release();
    endSpan(response);
    if (this.observer === null) return;
    const status = response.aborted ? 0 : response.statusCode;
    const seconds = (performance.now() - response.startedAtMs) / 1000;
    this.observer(request.route, request.method, status, seconds, request.bodyLength, response.bodyLength);
  }

  worded(answer: Answer, { rawPath }: HttpRequest): Answer {
    return this.errorWords === null ? answer : this.errorWords(answer, rawPath);
  }

  faulted(error: ServiceError, request: HttpRequest): void {
    this.onFault(error, request);
  }

  /** Answers that come before any route is looked at; null lets the request on. */
  refusal(request: HttpRequest, isForEndpoint = false): Answer | null {
    if (!request.hasValidPath()) return errorAnswer(invalidPath());
    const closed = this.gate?.(request) ?? null;
    if (closed !== null) return closed;
    const isServed = isForEndpoint || this.servesWhileRefusing?.(request) === true;
    if (this.refusesNew && !isServed) return lastAnswer(new ServiceError('service_unavailable'));
    return request.headLength() > MAX_HEAD_BYTES ? errorAnswer(new ServiceError('headers_too_large')) : null;
  }

  /** Whether the request was one after which nothing of its connection may be read; it is answered then. */
  isCutOff(response: HttpResponse): boolean {
    if (!response.request.isAmbiguous()) return false;
    response.cutOff(errorAnswer(ambiguous()));
    return true;
  }

  #begin(native: NativeResponse, response: HttpResponse): void {
    const { request } = response;
    if (this.isCutOff(response)) return;
    const path = withoutTrailingSlash(request.rawPath);
    const found = this.routes.endpointOf(path);
    if (found !== null) return this.#beginEndpoint(native, response, found.endpoint, found.path);
    const match = this.routes.find(request);
    if (match?.target === 'socket') return response.answer(notAnUpgrade());
    const refusal = this.refusal(request);
    if (refusal !== null) return response.answer(refusal);
    if (request.method === 'OPTIONS') return this.#preflight(response);
    if (match === null) return response.answer(this.routes.missing(request));
    request.matched(match.template, match.names, match.values);
    this.#admit(native, response, match.target);
  }

  #beginEndpoint(native: NativeResponse, response: HttpResponse, endpoint: Endpoint, path: string): void {
    response.fixedHeaders = endpoint.headers ?? [];
    const refusal = this.refusal(response.request, true);
    if (refusal !== null) return response.answer(refusal);
    response.request.matched(path, [], []);
    serveEndpoint(native, response, endpoint, this.bodyRoom);
  }

  #preflight(response: HttpResponse): void {
    const { cors } = this.#options;
    if (cors !== null) response.fixedHeaders = cors.preflightFor(response.request.header('origin'));
    const maxAge = this.preflightMaxAge?.(response.request) ?? null;
    if (maxAge !== null) response.setHeader('access-control-max-age', maxAge);
    response.end();
  }

  #admit(native: NativeResponse, response: HttpResponse, target: HandledTarget): void {
    const admitted = this.#enter(response, target);
    if (response.finished) return;
    const reader = this.#startBody(native, response);
    if (admitted === undefined) return this.#afterBody(reader, response, target);
    void admitted.then(
      () => this.#afterBody(reader, response, target),
      (error: unknown) => response.fail(error),
    );
  }

  /**
   * Runs the entrance before the body, so that refused requests keep nothing in memory. Undefined: decided
   * synchronously.
   */
  #enter(response: HttpResponse, { entrance }: HandledTarget): Promise<void> | undefined {
    const { request } = response;
    const admitted = this.admission?.(request, response) ?? null;
    const enter = (refusal: Answer | null): void | Promise<void> => {
      if (refusal !== null) return response.answer(refusal);
      // A declared length over the limit is refused without running the entrance, and its body is not kept.
      const isLooked = bringsBody(request) && declaredLength(request) <= this.#options.bodyLimitBytes;
      return entrance !== null && isLooked ? entrance(request, response) : undefined;
    };
    if (admitted instanceof Promise) return admitted.then(enter);
    return enter(admitted) ?? undefined;
  }

  #startBody(native: NativeResponse, response: HttpResponse): BodyReader | null {
    const { request } = response;
    if (!bringsBody(request)) return null;
    // Ignored, but when its digest is signed, it has to be the one.
    const keeps = !IGNORED_BODIES.has(request.method) || request.rawQuery.includes('body_md5=');
    const reader = new BodyReader(this.#options.bodyLimitBytes, keeps, this.bodyRoom);
    response.body = reader;
    reader.read(native, declaredLength(request), () => response.bodyEnded());
    return reader;
  }

  #afterBody(reader: BodyReader | null, response: HttpResponse, target: HandledTarget): void {
    if (response.finished) return;
    if (reader === null) return this.#run(response, target);
    reader.whenDone((outcome) => {
      if (outcome.tooLarge) {
        response.setHeader('connection', 'close');
        return response.fail(outcome.isForNow === true ? noRoom() : new ServiceError('payload_too_large'));
      }
      response.request.rawBody = outcome.bytes;
      response.request.bodyLength = outcome.length;
      this.#run(response, target);
      response.takeTurn();
    });
  }

  #run(response: HttpResponse, target: HandledTarget): void {
    const { request } = response;
    response.span = startSpan({
      name: `${request.method} ${request.route}`,
      kind: 'server',
      parent: isTracing() ? traceOfHeaders((name) => request.header(name)) : null,
    });
    const handlers = this.routes.handlersOf(request, target);
    within(response.span, () => runHandlers(handlers, response, this.errorLayer));
  }
}

/** Answer to a plain request on a socket route. */
export function notAnUpgrade(): Answer {
  const headers = { upgrade: 'websocket', 'sec-websocket-version': '13' };
  return errorAnswer(new ServiceError('upgrade_required', { headers }));
}

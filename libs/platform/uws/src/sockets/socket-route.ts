import { ServiceError, toServiceError } from '@carillon/errors';
import { isTracing, startSpan, traceOfHeaders, within } from '@carillon/tracing';
import type {
  HttpRequest as NativeRequest,
  HttpResponse as NativeResponse,
  us_socket_context_t as SocketContext,
  WebSocket as NativeSocket,
  WebSocketBehavior,
} from 'uWebSockets.js';
import { errorAnswer } from '../http/answer.js';
import { type Dispatcher, notAnUpgrade } from '../http/dispatcher.js';
import type { HttpRequest } from '../http/request.js';
import type { HttpResponse } from '../http/response.js';
import { Router, withoutTrailingSlash } from '../http/router.js';
import { lending } from '../lending.js';
import { nativeCompression } from './compression.js';
import type { SocketHandlers, SocketOptions, UpgradeDecision } from './handlers.js';
import { Socket, type SocketData } from './socket.js';

/** Called with errors thrown by a socket handler. */
export type SocketFault = (error: ServiceError, template: string) => void;

/**
 * A client that exceeds the limit by more than this is disconnected without a close frame. Also the allowance of an
 * unfinished message beyond the limit.
 */
const SLACK_BYTES = 4 * 1024;
const DEFAULT_PAYLOAD_BYTES = 64 * 1024 * 1024;
const DEFAULT_BACKPRESSURE_BYTES = 1024 * 1024;
const MAX_NATIVE_BYTES = 2 ** 31 - 1;
const TOO_LARGE = 1009;

/** 16 random bytes in base64. */
const KEY = /^[A-Za-z0-9+/]{22}==$/;

/** Request data needed by a later native upgrade, read while it is accessible. */
interface Handshake {
  readonly key: string;
  readonly extensions: string;
  readonly context: SocketContext;
}

/** The native library ends the process on values outside its bounds, so they are refused here. */
function checkedIdleSeconds(seconds: number): number {
  if (seconds === 0 || (Number.isInteger(seconds) && seconds >= 8 && seconds <= 960)) return seconds;
  throw new RangeError(`idleTimeoutSeconds must be 0 or 8 to 960, not ${seconds}`);
}

const bytes = (value: number): number => Math.min(value, MAX_NATIVE_BYTES);

/** One path that speaks WebSocket: the upgrade, and the shortest way from native events to the handlers. */
export class SocketRoute<State> {
  readonly #handlers: SocketHandlers<State>;
  readonly #template: string;
  readonly #dispatcher: Dispatcher;
  readonly #fault: SocketFault;
  /** Only this route: finds its parameters by the same rules as every other route. */
  readonly #router = new Router<true>();

  constructor(template: string, handlers: SocketHandlers<State>, dispatcher: Dispatcher, fault: SocketFault) {
    this.#template = withoutTrailingSlash(template);
    this.#handlers = lending(handlers);
    this.#dispatcher = dispatcher;
    this.#fault = fault;
    this.#router.add('GET', this.#template, true);
  }

  /** Native behaviour of the route. Absent handlers are omitted, so that they cost nothing. */
  behavior(): WebSocketBehavior<SocketData<State>> {
    const handlers = this.#handlers;
    const options = handlers.socketOptions ?? {};
    const limit = options.maxPayloadBytes ?? DEFAULT_PAYLOAD_BYTES;
    return {
      ...this.#settings(options),
      upgrade: (native, request, context) => this.#upgrade(native, request, context),
      open: (native) => {
        const socket = native.getUserData().owner;
        socket.opened(native);
        if (handlers.open !== undefined) this.#guard(() => handlers.open?.(socket));
      },
      message: (native, data, isBinary) => {
        const socket = (native as unknown as SocketData<State>).owner;
        if (data.byteLength > limit) return socket.end(TOO_LARGE, 'Message too large');
        try {
          const result: unknown = handlers.message(socket, data, isBinary);
          if (result !== undefined) this.#watch(result);
        } catch (error) {
          this.#report(error);
        }
      },
      close: (native, code, reason) => {
        const socket = (native as unknown as SocketData<State>).owner;
        socket.closed();
        if (handlers.close !== undefined) this.#guard(() => handlers.close?.(socket, code, reason));
      },
      ...this.#optional(handlers),
    };
  }

  #settings(options: SocketOptions): WebSocketBehavior<SocketData<State>> {
    const limit = options.maxPayloadBytes ?? DEFAULT_PAYLOAD_BYTES;
    const backpressure = options.maxBackpressureBytes ?? DEFAULT_BACKPRESSURE_BYTES;
    return {
      maxPayloadLength: bytes(limit + SLACK_BYTES),
      idleTimeout: checkedIdleSeconds(options.idleTimeoutSeconds ?? 0),
      maxBackpressure: bytes(backpressure),
      closeOnBackpressureLimit: options.closeOnBackpressureLimit === true ? 1 : 0,
      compression: nativeCompression(options.compression ?? 'disabled'),
      sendPingsAutomatically: options.sendPingsAutomatically ?? false,
    };
  }

  #optional(handlers: SocketHandlers<State>): WebSocketBehavior<SocketData<State>> {
    const owner = (native: NativeSocket<SocketData<State>>): Socket<State> => native.getUserData().owner;
    const { drain, dropped, ping, pong } = handlers;
    return {
      ...(drain && { drain: (ws) => this.#guard(() => drain.call(handlers, owner(ws))) }),
      ...(dropped && {
        dropped: (ws, data, isBinary) => this.#guard(() => dropped.call(handlers, owner(ws), data, isBinary)),
      }),
      ...(ping && { ping: (ws, data) => this.#guard(() => ping.call(handlers, owner(ws), data)) }),
      ...(pong && { pong: (ws, data) => this.#guard(() => pong.call(handlers, owner(ws), data)) }),
    };
  }

  #guard(work: () => unknown): void {
    try {
      this.#watch(work());
    } catch (error) {
      this.#report(error);
    }
  }

  /** A handler that turned out to be asynchronous must not end the process when it fails. */
  #watch(result: unknown): void {
    if (result instanceof Promise) result.catch((error: unknown) => this.#report(error));
  }

  #report(error: unknown): void {
    this.#fault(toServiceError(error), this.#template);
  }

  #upgrade(native: NativeResponse, nativeRequest: NativeRequest, context: SocketContext): void {
    const response = this.#dispatcher.open(native, nativeRequest);
    try {
      this.#answerUpgrade(native, response, context);
    } catch (error) {
      response.fail(error);
    }
  }

  #answerUpgrade(native: NativeResponse, response: HttpResponse, context: SocketContext): void {
    const { request } = response;
    if (this.#dispatcher.isCutOff(response)) return;
    const handshake = handshakeOf(request, context);
    if (handshake === null) return response.answer(notAnUpgrade());
    const refusal = this.#dispatcher.refusal(request);
    if (refusal !== null) return response.answer(refusal);
    const path = this.#dispatcher.routes.routed(request);
    const match = path === null ? null : this.#router.find('GET', path);
    if (match === null) return response.answer(errorAnswer(new ServiceError('not_found')));
    request.matched(match.template, match.names, match.values);
    return this.#decide(native, response, handshake);
  }

  #decide(native: NativeResponse, response: HttpResponse, handshake: Handshake): void {
    const { request } = response;
    response.span = startSpan({
      name: `UPGRADE ${request.route}`,
      kind: 'server',
      parent: isTracing() ? traceOfHeaders((name) => request.header(name)) : null,
    });
    const decision = within(response.span, () => this.#handlers.upgrade(request));
    if (!(decision instanceof Promise)) {
      // The native side is corked here and sends everything together.
      return this.#carryOut(native, response, handshake, decision);
    }
    void decision
      .then((late) => this.#carryOut(native, response, handshake, late))
      .catch((error: unknown) => response.fail(error));
  }

  #carryOut(
    native: NativeResponse,
    response: HttpResponse,
    handshake: Handshake,
    decision: UpgradeDecision<State>,
  ): void {
    if (response.finished) return;
    if ('refuse' in decision) {
      const { refuse } = decision;
      return refuse instanceof ServiceError ? response.fail(refuse) : response.answer(refuse);
    }
    const { accept, headers = {}, protocol = '' } = decision;
    for (const name in headers) response.setHeader(name, headers[name] ?? '');
    const owner = new Socket(accept);
    // Never in a cork of its own: when that ends, the native side reads the state of a response out of memory that is
    // a socket by then, and sometimes finds that the connection is to be closed.
    response.upgraded(() => {
      const names = Object.keys(headers);
      if (names.length > 0) native.writeStatus('101 Switching Protocols');
      for (const name of names) native.writeHeader(name, headers[name] ?? '');
      const { key, extensions, context } = handshake;
      native.upgrade<SocketData<State>>({ owner }, key, protocol, extensions, context);
    });
  }
}

/** Null when the request is not a WebSocket handshake of version 13. */
function handshakeOf(request: HttpRequest, context: SocketContext): Handshake | null {
  const key = request.header('sec-websocket-key') ?? '';
  if (request.header('upgrade')?.toLowerCase() !== 'websocket') return null;
  if (request.header('sec-websocket-version') !== '13' || !KEY.test(key)) return null;
  return { key, extensions: request.header('sec-websocket-extensions') ?? '', context };
}

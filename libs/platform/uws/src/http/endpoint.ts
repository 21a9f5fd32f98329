import type { HttpResponse as NativeResponse } from 'uWebSockets.js';
import { announcesBody, BodyReader } from './body.js';
import type { BodyRoom } from './body-room.js';
import type { HttpRequest } from './request.js';
import type { HttpResponse } from './response.js';

/** Outcome of reading a body: its bytes, or the reason. `no_room` is temporary, `too_large` is permanent. */
export type EndpointBody =
  | { readonly kind: 'read'; readonly bytes: Buffer | undefined }
  | { readonly kind: 'too_large' | 'no_room' };

/** Continuation after the body was read. */
export type AfterBody = (body: EndpointBody) => void | Promise<void>;

/**
 * A path that speaks for itself: it answers every method, `OPTIONS` too, with headers and errors of its own, also while
 * the process refuses other new requests.
 */
export interface Endpoint {
  /** Read for each request. */
  readonly bodyLimitBytes: number;
  /** Alternating names and values of headers that every answer there has, refusals of the adapter included. */
  readonly headers?: readonly string[];
  /**
   * Looks at a request before its body is kept. Null: it is answered. A promise that rejects becomes the answer.
   */
  begin(request: HttpRequest, response: HttpResponse): AfterBody | null | Promise<AfterBody | null>;
}

const KEPT = new Set(['POST', 'PUT', 'PATCH']);

/** The way of a request to an endpoint. */
export function serveEndpoint(
  native: NativeResponse,
  response: HttpResponse,
  endpoint: Endpoint,
  room: BodyRoom,
): void {
  const begun = endpoint.begin(response.request, response);
  if (response.finished) return;
  const reader = startBody(native, response, endpoint.bodyLimitBytes, room);
  const goOn = (then: AfterBody | null): void => {
    if (then !== null) whenRead(reader, response, then);
  };
  if (!(begun instanceof Promise)) return goOn(begun);
  void begun.then(goOn).catch((error: unknown) => response.fail(error));
}

function startBody(
  native: NativeResponse,
  response: HttpResponse,
  limitBytes: number,
  room: BodyRoom,
): BodyReader | null {
  const { request } = response;
  const length = request.header('content-length');
  if (!announcesBody(length, request.header('transfer-encoding'))) return null;
  const reader = new BodyReader(limitBytes, KEPT.has(request.method), room);
  response.body = reader;
  reader.read(native, Number(length ?? 0), () => response.bodyEnded());
  return reader;
}

function whenRead(reader: BodyReader | null, response: HttpResponse, then: AfterBody): void {
  if (response.finished) return;
  if (reader === null) return run(response, then, { kind: 'read', bytes: undefined });
  reader.whenDone((outcome) => {
    if (outcome.tooLarge) {
      response.setHeader('connection', 'close');
      return run(response, then, { kind: outcome.isForNow === true ? 'no_room' : 'too_large' });
    }
    response.request.bodyLength = outcome.length;
    run(response, then, { kind: 'read', bytes: outcome.bytes });
    response.takeTurn();
  });
}

function run(response: HttpResponse, then: AfterBody, body: EndpointBody): void {
  try {
    const running = then(body);
    if (running instanceof Promise) running.catch((error: unknown) => response.fail(error));
  } catch (error) {
    response.fail(error);
  }
}

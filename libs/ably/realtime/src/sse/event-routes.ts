import { CompatError, type CompatCore, type ErrorBody } from '@carillon/ably-core';
import type { Config } from '@carillon/config';
import { whenDrained } from '@carillon/realtime';
import type { HttpRequest, HttpResponse } from '@carillon/uws';
import { arrivalOf } from '../arrival.js';
import type { CompatConnection } from '../connection.js';
import { ACTION, MODE } from '../flags.js';
import { answerError, reported, streamHeaders } from '../http/answers.js';
import type { TransportEvents } from '../http/http-transport.js';
import { positionText } from '../position.js';
import type { Realtime } from '../realtime.js';
import type { Reception } from '../reception.js';
import { encodeEvent, type EventStyle } from './event-format.js';
import { decodeId, type IdPart, listDigest, stopCode } from './event-id.js';
import { EventPositions } from './event-positions.js';
import { type EventForm, type EventRequest, lastEventId, readEventRequest } from './event-request.js';
import { EventTransport } from './event-transport.js';
import { retryMs } from './retry.js';

export interface EventRoutesParts {
  readonly config: Config;
  readonly core: CompatCore;
  readonly realtime: Realtime;
  readonly reception: Reception;
  readonly events: TransportEvents;
  readonly onFault: (error: unknown) => void;
}

/** Longest time from the request to the first byte of the stream. */
const OPEN_MS = 5000;
const MODES = MODE.SUBSCRIBE | MODE.PRESENCE_SUBSCRIBE;
/** A position of no stream, for a channel whose continuity cannot be verified. */
const NO_POSITION = '-';
const APP_QUOTA = 50_004;

const TYPES: Readonly<Record<EventForm, string>> = {
  'event-stream': 'text/event-stream',
  ndjson: 'application/x-ndjson',
};

const accepts = (accept: string, type: string): boolean =>
  accept === '' || accept.includes('*/*') || accept.includes('text/*') || accept.includes(type);

/** Event streams of Ably clients: `GET /sse` and `GET /event-stream`. */
export class EventRoutes {
  constructor(private readonly parts: EventRoutesParts) {}

  readonly sse = (request: HttpRequest, response: HttpResponse): Promise<void> => {
    const accept = request.header('accept') ?? '';
    if (accepts(accept, TYPES['event-stream'])) return this.#answer(request, response, 'event-stream');
    answerError(response, new CompatError(40_000, 'accept does not allow text/event-stream', 406));
    return Promise.resolve();
  };

  readonly eventStream = (request: HttpRequest, response: HttpResponse): Promise<void> => {
    const isEvents = (request.header('accept') ?? '').includes(TYPES['event-stream']);
    return this.#answer(request, response, isEvents ? 'event-stream' : 'ndjson');
  };

  async #answer(request: HttpRequest, response: HttpResponse, form: EventForm): Promise<void> {
    const lastId = lastEventId(request);
    if (lastId !== null && stopCode(lastId) !== null) {
      response.statusCode = 204;
      response.setHeader('cache-control', 'no-store');
      return response.end();
    }
    try {
      await this.#open(request, response, form);
    } catch (error) {
      refuse(request, response, reported(error, this.parts.onFault));
    }
  }

  async #open(request: HttpRequest, response: HttpResponse, form: EventForm): Promise<void> {
    const { core, config, reception, events } = this.parts;
    const { headers, refusal } = await reception.check(request);
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    if (refusal !== null) throw refusal;
    const asked = readEventRequest(request);
    const arrival = arrivalOf(request, core, config, true);
    if (arrival === null) throw new CompatError(40_000, 'format is not known');
    arrival.subscribed = asked.names;
    const received = receivedParts(lastEventId(request), asked.names);
    const positions = new EventPositions(asked.names, received);
    const opening = new Opening(asked.names);
    const transport = new EventTransport(arrival, events, { ...asked, form }, positions, opening);
    response.onAbort = () => transport.terminate();
    try {
      const connection = await opening.inTime(reception.admit(transport, arrival));
      // It is never resumed as a connection.
      connection.isOver = true;
      for (const [index, name] of asked.names.entries())
        void this.#attach(connection, positions, asked, { name, part: received?.[index] ?? null });
      await opening.inTime(opening.done);
    } catch (error) {
      transport.terminate();
      throw error;
    }
    if (!transport.isOpen) return;
    response.onAbort = null;
    streamHeaders(response, TYPES[form]);
    const body = response.openBody(form === 'ndjson' ? '\n' : ':\n');
    if (body === null) transport.terminate();
    else transport.open(body);
  }

  /** Attaches a channel at the position of the id, or without one. Errors reach the transport as frames. */
  async #attach(
    connection: CompatConnection,
    positions: EventPositions,
    { rewind }: EventRequest,
    { name, part }: { readonly name: string; readonly part: IdPart | null },
  ): Promise<void> {
    const { attach, hub } = this.parts.realtime;
    const isFresh = part === null || part === 'rewinding';
    const frame = {
      action: ACTION.attach,
      channel: name,
      flags: MODES,
      ...(isFresh && rewind !== null ? { params: { rewind: String(rewind) } } : {}),
      ...(isFresh ? {} : { channelSerial: part === 'none' ? NO_POSITION : positionText(part) }),
    };
    try {
      await attach.handle(connection, frame);
      await whenDrained(connection);
      positions.rewound(name);
    } catch (error) {
      hub.onTrouble('a channel of an event stream', error);
    }
  }
}

/** The parts of the id of a request; null: a fresh start. One that cannot be used has no position for any channel. */
function receivedParts(id: string | null, names: readonly string[]): readonly IdPart[] | null {
  if (id === null) return null;
  return decodeId(id, listDigest(names), names.length) ?? names.map(() => 'none' as const);
}

/** The channels that an event stream waits for before its response starts. */
class Opening {
  readonly done: Promise<void>;
  readonly #awaited: Set<string>;
  #finish: () => void = () => {};
  #fail: (error: CompatError) => void = () => {};
  readonly #endsMs = performance.now() + OPEN_MS;

  constructor(names: readonly string[]) {
    this.#awaited = new Set(names);
    this.done = new Promise((resolve, reject) => {
      this.#finish = resolve;
      this.#fail = reject;
    });
    this.done.catch(() => {});
  }

  settled(channel: string, error: ErrorBody | null): void {
    if (error !== null)
      return this.#fail(new CompatError(error.code, `${channel}: ${error.message}`, statusOf(error)));
    this.#awaited.delete(channel);
    if (this.#awaited.size === 0) this.#finish();
  }

  overflow(): void {
    this.#finish();
  }

  /** Rejects with 50003 when the stream has not opened in time. */
  async inTime<Value>(work: Promise<Value>): Promise<Value> {
    let timer: NodeJS.Timeout | undefined;
    const isLate = new Promise<never>((_, reject) => {
      const leftMs = Math.max(0, this.#endsMs - performance.now());
      timer = setTimeout(
        () => reject(new CompatError(50_003, 'the stream could not be opened in time')),
        leftMs,
      );
    });
    try {
      return await Promise.race([work, isLate]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** A failed attach that the client may repeat is a refusal for now. */
const statusOf = ({ code, statusCode }: ErrorBody): number => (code === 50_003 ? 503 : statusCode);

/** Whether the client prefers an HTTP error status, after which a browser would stop permanently. */
const wantsStatus = (request: HttpRequest): boolean =>
  request.query['refusals'] === 'status' ||
  (request.header('prefer') ?? '').includes('status') ||
  !(request.header('accept') ?? '').includes(TYPES['event-stream']);

/** Answers a refusal: a temporary one to a browser as an event, so that it reconnects. */
function refuse(request: HttpRequest, response: HttpResponse, error: CompatError): void {
  const isTemporary = error.statusCode === 503 || error.statusCode === 429;
  if (!isTemporary || wantsStatus(request)) return answerError(response, error);
  const reason = error.code === APP_QUOTA ? 'quota' : 'full';
  const retry = retryMs(reason, error.statusCode === 429 ? error.retryAfterSeconds * 1000 : undefined);
  const style: EventStyle = { form: 'event-stream', isEnveloped: true, hasHeartbeatEvents: false };
  const told = { message: error.message, code: 50_003, statusCode: error.statusCode };
  const text = encodeEvent(
    style,
    { type: 'error', data: JSON.stringify(told), retryMs: retry },
    validId(request),
  );
  streamHeaders(response, TYPES['event-stream']);
  response.setHeader('connection', 'close');
  response.end(text);
}

/** The id that was received, if it is one for the channels of the request. */
function validId(request: HttpRequest): string | null {
  try {
    const id = lastEventId(request);
    const { names } = readEventRequest(request);
    return id !== null && decodeId(id, listDigest(names), names.length) !== null ? id : null;
  } catch {
    return null;
  }
}

import { type ErrorBody, isObject, type JsonObject, parseJson } from '@carillon/ably-core';
import type { StreamedBody } from '@carillon/uws';
import type { Arrival } from '../arrival.js';
import { ACTION, FLAG } from '../flags.js';
import { HttpTransport, type TransportEvents } from '../http/http-transport.js';
import { readPosition } from '../position.js';
import {
  encodeEvent,
  encodeHeartbeat,
  encodePrelude,
  type EventBody,
  eventsOf,
  type EventStyle,
} from './event-format.js';
import type { EventPositions } from './event-positions.js';
import { retryMs } from './retry.js';

/** Unsent text beyond which the stream opens before all its channels are attached. */
const EARLY_OPEN_BYTES = 1024 * 1024;
/** A client that takes nothing for this time has vanished. */
const VANISHED_MS = 60_000;

/** Frames are equal for all streams of a channel: the last one is parsed once. */
let parsed: { readonly text: string; readonly frame: JsonObject } = { text: '', frame: {} };

function frameOf(text: string): JsonObject {
  if (parsed.text !== text) {
    const frame = parseJson(text);
    parsed = { text, frame: isObject(frame) ? frame : {} };
  }
  return parsed.frame;
}

/** Events of a frame, for all streams of the same kind. */
const rendered = new WeakMap<JsonObject, [enveloped?: readonly EventBody[], bare?: readonly EventBody[]]>();

function renderedEvents(frame: JsonObject, isEnveloped: boolean): readonly EventBody[] {
  const both = rendered.get(frame) ?? [];
  rendered.set(frame, both);
  return (both[isEnveloped ? 0 : 1] ??= eventsOf(frame, isEnveloped));
}

/** Callbacks from a transport to the request that opens it. */
export interface OpeningEvents {
  /** A channel is attached, or refused with the error. */
  settled(channel: string, error: ErrorBody | null): void;
  /** Too much waits for the channels that are not attached yet. */
  overflow(): void;
}

/** Event stream of a connection: writes its messages and presence events, each with the id to resume from. */
export class EventTransport extends HttpTransport {
  #body: StreamedBody | null = null;
  #text = '';
  #isScheduled = false;
  /** When the client last took something, as `performance` keeps time. */
  #takenMs = performance.now();

  constructor(
    arrival: Arrival,
    events: TransportEvents,
    private readonly style: EventStyle,
    private readonly positions: EventPositions,
    private readonly opening: OpeningEvents,
  ) {
    super(arrival, events);
  }

  /** Frames collected before the response starts do not count as unread. */
  get bufferedBytes(): number {
    return this.#body === null ? 0 : this.#body.bufferedBytes + this.#text.length;
  }

  /** Starts the response with an id, then everything that was gathered. */
  open(body: StreamedBody): void {
    this.#body = body;
    body.onGone = () => this.terminate();
    body.onDrain = () => this.drained();
    this.#text = encodePrelude(this.style, this.positions.firstId, retryMs('first')) + this.#text;
    this.#flush();
  }

  protected accept(text: string): void {
    const frame = frameOf(text);
    switch (frame['action']) {
      case ACTION.message:
      case ACTION.presence:
        return this.#events(frame);
      case ACTION.heartbeat:
        return this.#body === null ? undefined : this.#write(encodeHeartbeat(this.style));
      case ACTION.attached:
        return this.#attached(frame);
      case ACTION.detached:
      case ACTION.error:
      case ACTION.disconnected:
        return this.#failed(frame);
      default:
    }
  }

  protected finish(): void {
    this.#flush();
    this.#body?.end();
  }

  protected abort(): void {
    this.#text = '';
    this.#body?.close();
  }

  #events(frame: JsonObject): void {
    const { channel, channelSerial } = frame;
    const position = typeof channelSerial === 'string' ? readPosition(channelSerial) : null;
    if (position !== null) this.positions.sent(String(channel), position);
    const id = this.positions.id;
    let text = '';
    for (const event of renderedEvents(frame, this.style.isEnveloped))
      text += encodeEvent(this.style, event, id);
    this.#write(text);
  }

  #attached({ channel, channelSerial, flags, error }: JsonObject): void {
    const position = typeof channelSerial === 'string' ? readPosition(channelSerial) : null;
    const has = (flag: number): boolean => (Number(flags) & flag) !== 0;
    const isRewinding = has(FLAG.hasBacklog) && !has(FLAG.resumed);
    this.positions.attached(String(channel), position, { isResumed: has(FLAG.resumed), isRewinding });
    if (isObject(error)) this.#error({ ...error, channel }, undefined);
    this.opening.settled(String(channel), null);
  }

  #failed({ action, channel, error }: JsonObject): void {
    const body = (
      isObject(error) ? error : { message: 'disconnected', code: 80_003, statusCode: 400 }
    ) as unknown;
    const told = body as ErrorBody;
    if (channel !== undefined) {
      if (this.#body === null) return this.opening.settled(channel as string, told);
      return this.#error({ ...told, channel }, undefined);
    }
    const isFinal = action !== ACTION.disconnected || (told.code >= 40_140 && told.code < 40_150);
    const isStopped = isFinal && told.code >= 40_100 && told.code < 42_900;
    if (isStopped) this.positions.stop(told.code);
    this.#error({ ...told }, isStopped ? undefined : retryMs(told.code === 50_003 ? 'draining' : 'full'));
  }

  #error(error: object, retry: number | undefined): void {
    const body: EventBody = { type: 'error', data: JSON.stringify(error), ...(retry && { retryMs: retry }) };
    this.#write(encodeEvent(this.style, body, this.positions.id));
  }

  #write(text: string): void {
    this.#text += text;
    if (this.#body === null) {
      if (this.#text.length > EARLY_OPEN_BYTES) this.opening.overflow();
      return;
    }
    if (this.#body.bufferedBytes === 0) this.#takenMs = performance.now();
    else if (performance.now() - this.#takenMs > VANISHED_MS)
      return void setImmediate(() => this.terminate());
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#isScheduled = false;
    const text = this.#text;
    if (this.#body === null || text === '') return;
    this.#text = '';
    this.#body.write(text);
    if (this.bufferedBytes === 0) this.drained();
  }
}

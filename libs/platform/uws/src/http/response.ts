import type { Span } from '@carillon/tracing';
import { type ServiceError, toServiceError } from '@carillon/errors';
import type { HttpResponse as NativeResponse } from 'uWebSockets.js';
import { type Answer, errorAnswer } from './answer.js';
import { sendable } from '../text.js';
import type { BodyReader } from './body.js';
import { EventStream } from './event-stream.js';
import { headerValues, statusLine } from './header-lines.js';
import type { HttpRequest } from './request.js';
import { ResponseStream, type ResponseStreamObserver } from './response-stream.js';
import { Sending } from './sending.js';
import { StreamedBody } from './streamed-body.js';
import { answerableError } from './thrown.js';

/** Headers that go with every answer, as alternating names and values; made once, not per request. */
export type FixedHeaders = readonly string[];

/** Owner of responses, notified of their end. One object for all responses. */
export interface ResponseOwner {
  /** Called once per response: answered, upgraded, or the client gone. */
  finished(response: HttpResponse): void;
  /** Formats the answer to a failed request for its path. */
  worded(answer: Answer, request: HttpRequest): Answer;
  /** A fault of ours that was answered with a 500 or came too late to be answered. */
  faulted(error: ServiceError, request: HttpRequest): void;
}

/** The native side gathers 16 KiB before it writes. */
const BEYOND_NATIVE_BUFFER = 17 * 1024;
/** Most answers take less, by far. */
const LONGEST_TURN_MS = 1000;
const NO_HEADERS: FixedHeaders = [];
const hasNoBody = (status: number): boolean => status === 204 || status === 304 || status < 200;

/** Response being sent: native corking calls back synchronously, so one variable serves all and costs no closure. */
let sending: HttpResponse | null = null;
const sendNow = (): void => sending?.write();

function sendCorked(native: NativeResponse, response: HttpResponse): void {
  sending = response;
  native.cork(sendNow);
  sending = null;
}

/**
 * The answer to one request. Built in memory and written in one piece, so there is exactly one answer; once it is
 * sent, or the client is gone, every method is a no-op: a late handler can neither fail nor corrupt anything.
 */
export class HttpResponse {
  statusCode = 200;
  readonly request: HttpRequest;
  /** Arrival time of the request, for metrics; 0 if not measured. */
  startedAtMs = 0;
  /** Span of the request; null while tracing is off. */
  span: Span | null = null;
  /** Reader of the request's body; null: no body. */
  body: BodyReader | null = null;
  /** Called when the client disconnects before the answer. */
  onAbort: (() => void) | null = null;

  readonly #native: NativeResponse;
  readonly #owner: ResponseOwner;
  #fixed: FixedHeaders = NO_HEADERS;
  #headers: Map<string, readonly string[]> | null = null;
  #contentType = '';
  #body: string | Uint8Array = '';
  #closes = false;
  #finished = false;
  #aborted = false;
  #stream: EventStream | ResponseStream | StreamedBody | null = null;
  /** While nothing more of the connection is read; null when it is. */
  #holding: NodeJS.Timeout | null = null;
  readonly #sending: Sending;

  constructor(native: NativeResponse, request: HttpRequest, owner: ResponseOwner) {
    this.#native = native;
    this.#owner = owner;
    this.request = request;
    this.#sending = new Sending(request.isFramed, () => this.#leave());
  }

  /** The whole body has arrived; the room's own. */
  bodyEnded(): void {
    this.#sending.bodyEnded();
  }

  /** Headers of every answer; internal to the package. */
  set fixedHeaders(headers: FixedHeaders) {
    this.#fixed = headers;
  }

  /** Whether the response has ended: answered, or the client has disconnected. */
  get finished(): boolean {
    return this.#finished;
  }

  /** Whether the client disconnected before the answer. */
  get aborted(): boolean {
    return this.#aborted;
  }

  /** Same as {@link finished}; the name Nest and middleware know. */
  get headersSent(): boolean {
    return this.#finished;
  }

  get writableEnded(): boolean {
    return this.#finished;
  }

  /** Bytes of the answered body, for metrics. */
  get bodyLength(): number {
    return typeof this.#body === 'string' ? Buffer.byteLength(this.#body) : this.#body.byteLength;
  }

  /**
   * Sets a header, replacing an earlier value. `Connection: close` ends the connection after the answer.
   *
   * @throws TypeError when name or value could break out of its line.
   */
  setHeader(name: string, value: string | number | readonly string[]): void {
    const values = headerValues(name, value);
    const key = name.toLowerCase();
    if (key === 'content-length' || key === 'transfer-encoding') return;
    if (key === 'connection') this.#closes = values.some((one) => one.toLowerCase() === 'close');
    else if (key === 'content-type') this.#contentType = values[0] ?? '';
    else (this.#headers ??= new Map()).set(key, values);
  }

  /** Adds one more header of that name. */
  appendHeader(name: string, value: string): void {
    const before = this.#headers?.get(name.toLowerCase()) ?? [];
    this.setHeader(name, [...before, value]);
  }

  getHeader(name: string): string | undefined {
    const key = name.toLowerCase();
    if (key === 'content-type') return this.#contentType === '' ? undefined : this.#contentType;
    return this.#headers?.get(key)?.join(', ');
  }

  removeHeader(name: string): void {
    this.#headers?.delete(name.toLowerCase());
  }

  /** Sends plain data as the whole answer; headers set before stay unless the answer names them too. */
  answer(plain: Answer): void {
    if (this.#finished) return;
    const answer = plain.status < 400 ? plain : this.#owner.worded(plain, this.request);
    this.statusCode = answer.status;
    this.#contentType = '';
    for (const name in answer.headers) this.setHeader(name, answer.headers[name] ?? '');
    this.send(answer.body);
  }

  /**
   * Answers a thrown value with the error body. Internal errors are reported to the owner with their cause; the
   * client gets a fixed text. Never throws.
   */
  fail(thrown: unknown): void {
    const error = answerableError(thrown);
    if (error.status === 500 || this.#finished) this.#owner.faulted(error, this.request);
    try {
      this.answer(errorAnswer(error));
    } catch (unsendable) {
      const fault = toServiceError(unsendable);
      this.#owner.faulted(fault, this.request);
      this.answer(errorAnswer(fault));
    }
  }

  /**
   * Sends the answer. Nothing: an empty body; bytes as they are; text as text unless a content type is set;
   * everything else as JSON.
   *
   * @throws TypeError when the value cannot be written as JSON; nothing is sent then.
   */
  send(body?: unknown): void {
    if (this.#finished) return;
    if (body === undefined || body === null) this.end();
    else if (typeof body === 'string') this.end(body, 'text/plain; charset=utf-8');
    else if (body instanceof Uint8Array) this.end(body, 'application/octet-stream');
    else this.end(JSON.stringify(body), 'application/json');
  }

  /** Sends bytes or text that is ready, with a content type unless one is set already. */
  end(body: string | Uint8Array = '', contentType = ''): void {
    if (this.#finished) return;
    this.#body = body;
    if (this.#contentType === '') this.#contentType = contentType;
    this.#finished = true;
    this.#endTurn();
    this.#sending.begin(this.#closes);
  }

  #leave(): void {
    if (this.request.isChunked || this.#sending.isEarly) this.#closes = true;
    sendCorked(this.#native, this);
    this.#owner.finished(this);
  }

  /** Begins a streaming answer, which ends the request for limits and metrics. Null: it had already ended. */
  openStream(): EventStream | null {
    return this.#open((native) => new EventStream(native));
  }

  /**
   * Begins a streaming answer with flow control, after which the client closes the connection. Null: the response has
   * ended.
   *
   * @param filler see {@link StreamedBody}
   */
  openBody(filler: string): StreamedBody | null {
    if (!this.#finished) (this.#headers ??= new Map()).set('connection', ['close']);
    return this.#open((native) => new StreamedBody(native, filler));
  }

  /** Begins a streaming answer that buffers unread bytes; see {@link ResponseStream} for the filler. */
  openBufferedStream(observer: ResponseStreamObserver, filler: string): ResponseStream | null {
    return this.#open((native) => new ResponseStream(native, observer, filler));
  }

  #open<Stream extends EventStream | ResponseStream | StreamedBody>(
    make: (native: NativeResponse) => Stream,
  ): Stream | null {
    if (this.#finished) return null;
    this.#finished = true;
    this.#endTurn();
    const stream = make(this.#native);
    this.#stream = stream;
    this.#native.cork(() => {
      this.#writeHead(this.#native);
      if (this.#closes) this.#native.writeHeader('connection', 'close');
    });
    this.#owner.finished(this);
    return stream;
  }

  /** Whether a streaming answer is open; internal to the package. */
  get isStreaming(): boolean {
    return this.#stream?.isOpen === true;
  }

  /**
   * Answers as the last thing on this connection: pipelined bytes after the request are never read. The native side
   * would process them if the answer were still in its buffer, so the answer is padded beyond that; a `HEAD`, which
   * has no body to pad, is answered by closing the connection.
   */
  cutOff(answer: Answer): void {
    if (this.request.method === 'HEAD') return this.destroy();
    const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {});
    this.setHeader('connection', 'close');
    this.statusCode = answer.status;
    this.#sending.skip();
    this.end(text.padEnd(BEYOND_NATIVE_BUFFER), 'application/json');
  }

  /**
   * Pauses reading of this connection until the answer, because the native side ends a connection whose next request
   * arrives before: the client would then repeat a publish that was executed. After {@link LONGEST_TURN_MS} reading
   * resumes, since only that detects a disconnect. Internal to the package.
   */
  takeTurn(): void {
    if (this.#finished || this.body?.isComing === true || this.#holding !== null) return;
    this.#native.pause();
    this.#holding = setTimeout(() => this.#endTurn(), LONGEST_TURN_MS).unref();
  }

  #endTurn(): void {
    if (this.#holding === null) return;
    clearTimeout(this.#holding);
    this.#holding = null;
    this.#native.resume();
  }

  /** Drops the connection without an answer. */
  destroy(): void {
    if (this.#finished && !this.#sending.isPending) return;
    this.#native.close();
    this.abort();
  }

  /** The client is gone; the room's own. */
  abort(): void {
    this.#stream?.gone();
    if (this.#finished && !this.#sending.cancel()) return;
    if (this.#holding !== null) clearTimeout(this.#holding);
    this.#holding = null;
    this.#finished = true;
    this.#aborted = true;
    this.onAbort?.();
    this.#owner.finished(this);
  }

  /** Lets the connection become a socket by the given work, unless it is over; the room's own. */
  upgraded(upgrade: () => void): void {
    if (this.#finished) return;
    this.#finished = true;
    this.statusCode = 101;
    this.#owner.finished(this);
    upgrade();
  }

  /** Puts the answer on the wire, inside the cork of {@link end}; the room's own. */
  write(): void {
    const native = this.#native;
    this.#writeHead(native);
    if (hasNoBody(this.statusCode)) this.#endBare(native);
    else if (this.request.method === 'HEAD') {
      native.writeHeader('content-length', String(this.bodyLength));
      this.#endBare(native);
    } else native.end(sendable(this.#body), this.#closes);
  }

  /**
   * With any argument the native call leaves the response open, and the process ends for it. So the length goes by
   * hand, and closing is left to the client.
   */
  #endBare(native: NativeResponse): void {
    if (this.#closes) native.writeHeader('connection', 'close');
    native.endWithoutBody();
  }

  #writeHead(native: NativeResponse): void {
    if (this.statusCode !== 200) native.writeStatus(statusLine(this.statusCode));
    if (this.#contentType !== '') native.writeHeader('content-type', this.#contentType);
    for (let index = 0; index < this.#fixed.length; index += 2)
      native.writeHeader(this.#fixed[index] ?? '', this.#fixed[index + 1] ?? '');
    if (this.#headers === null) return;
    for (const [name, values] of this.#headers) {
      for (const value of values) native.writeHeader(name, value);
    }
  }
}

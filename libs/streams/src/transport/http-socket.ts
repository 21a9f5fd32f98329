import type { HttpTopics, Hub } from '@carillon/realtime';
import type { HttpResponse, ResponseStream, ResponseStreamObserver, SendOutcome } from '@carillon/uws';
import type { FrameInfo, FrameInfos } from '../frames/frame-info.js';
import type { StreamMetrics } from '../metrics.js';
import type { StreamConnection, StreamSocket } from './stream-connection.js';
import type { Output, Piece } from './output.js';
import type { Writes } from './writes.js';

/** Dependencies shared by all sockets over HTTP. */
export interface HttpSocketParts {
  readonly hub: Pick<Hub, 'drained' | 'outlet'>;
  readonly topics: HttpTopics;
  readonly infos: FrameInfos;
  readonly writes: Writes;
  readonly metrics: StreamMetrics;
  /** Publishes to the WebSockets of a topic. */
  readonly publish: (topic: string, frame: string | Uint8Array) => void;
  readonly maxUnreadBytes: number;
  /** Called once with the close code; 1006: without an end by either side. */
  readonly onEnd: (connection: StreamConnection, code: number) => void;
}

const NO_END = 1006;
/** Code of a client that could not be sent anything for too long, or does not read. */
const OVER_CAPACITY = 4100;
/** Frames before the head of the response is sent; more end the connection. */
const MAX_EARLY = 64;

/**
 * The response of an HTTP stream as the hub knows sockets. The blocks of one turn of the event loop leave in one write. Frames
 * sent before the response is open wait for it.
 */
export class HttpSocket implements ResponseStreamObserver, StreamSocket {
  readonly #topics = new Set<string>();
  #stream: ResponseStream | null = null;
  #early: string[] = [];
  #pending = '';
  #pendingBytes = 0;
  #isOpen = true;
  /** Time of the last write, as `performance` keeps it. */
  writtenMs = performance.now();

  constructor(
    private readonly parts: HttpSocketParts,
    private readonly connection: StreamConnection,
    readonly output: Output,
  ) {}

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get bufferedBytes(): number {
    return this.#pendingBytes + (this.#stream?.bufferedBytes ?? 0);
  }

  /** Since when the client has read nothing, as `performance` keeps time; Infinity: it has read everything. */
  get stalledSinceMs(): number {
    const stream = this.#stream;
    return stream === null || stream.bufferedBytes === 0 ? Infinity : stream.progressMs;
  }

  /**
   * Sends the head and the first frame, then the frames queued before. Returns false if the client has disconnected.
   */
  open(response: HttpResponse, established: string): boolean {
    const { output, parts } = this;
    if (!this.#isOpen) return false;
    this.#stream = response.openBufferedStream(this, '\n');
    if (this.#stream === null) {
      this.#closed(NO_END);
      return false;
    }
    this.#queue(output.first(parts.infos.of(established)));
    const early = this.#early;
    this.#early = [];
    for (const frame of early) this.send(frame);
    return this.#isOpen;
  }

  send(frame: string | Uint8Array): SendOutcome {
    if (!this.#isOpen || typeof frame !== 'string') return 'closed';
    if (this.#stream === null) return this.#hold(frame);
    const info = this.parts.infos.of(frame);
    if (this.#isEndingError(info)) return 'sent';
    const piece = this.output.frame(info);
    if (this.bufferedBytes + piece.bytes > this.parts.maxUnreadBytes) {
      this.parts.hub.outlet.dropped(this.connection);
      return 'dropped';
    }
    this.#queue(piece);
    return this.#stream.bufferedBytes > 0 ? 'buffered' : 'sent';
  }

  /** A heartbeat, or the positions if they moved. */
  ping(): void {
    if (this.#isOpen && this.#stream !== null) this.#queue(this.output.heartbeat());
  }

  cork(work: () => void): void {
    if (this.#isOpen) work();
  }

  /** Ends the body; a client that is too slow does not get the reason. */
  end(code = 1000, reason = ''): void {
    if (!this.#isOpen) return;
    const stream = this.#stream;
    const isTooSlow = code === OVER_CAPACITY && (stream?.bufferedBytes ?? 0) > 0;
    if (isTooSlow || stream === null) return this.terminate(code);
    const last = this.output.close({ code, reason });
    this.parts.metrics.sent(1, last.bytes);
    stream.end(this.#pending + last.text);
    this.#closed(code);
  }

  /** Ends the connection without a last block. */
  terminate(code = NO_END): void {
    if (!this.#isOpen) return;
    this.#stream?.terminate();
    this.#closed(code);
  }

  subscribe(topic: string): boolean {
    if (!this.#isOpen || !this.parts.topics.subscribe(topic, this)) return false;
    this.#topics.add(topic);
    return true;
  }

  unsubscribe(topic: string): boolean {
    this.#topics.delete(topic);
    return this.parts.topics.unsubscribe(topic, this);
  }

  isSubscribed(topic: string): boolean {
    return this.#topics.has(topic);
  }

  /** To the WebSockets of the topic: other HTTP streams are published to by the topic itself. */
  publish(topic: string, frame: string | Uint8Array): boolean {
    this.parts.publish(topic, frame);
    return true;
  }

  /** Writes the pieces queued in this turn of the event loop. */
  flush(): void {
    const stream = this.#stream;
    if (!this.#isOpen || stream === null || this.#pendingBytes === 0) return;
    const [text, bytes] = [this.#pending, this.#pendingBytes];
    this.#pending = '';
    this.#pendingBytes = 0;
    this.parts.writes.text.write(stream, text, bytes);
    this.writtenMs = performance.now();
    if (stream.bufferedBytes === 0) this.drained();
    else this.parts.hub.outlet.slowDown(this.connection);
  }

  drained(): void {
    if (this.connection.lane !== null) this.parts.hub.drained(this.connection);
  }

  gone(): void {
    this.#closed(NO_END);
  }

  /** Whether it is the error frame of an ending connection, which the last block already reports. */
  #isEndingError({ event }: FrameInfo): boolean {
    return this.connection.endedFor !== null && event === 'service:error';
  }

  #hold(frame: string): SendOutcome {
    if (this.#early.length >= MAX_EARLY) {
      this.parts.hub.outlet.dropped(this.connection);
      return 'dropped';
    }
    this.#early.push(frame);
    return 'sent';
  }

  #queue({ text, bytes }: Piece): void {
    const { writes, metrics } = this.parts;
    if (this.#pendingBytes === 0) writes.add(this);
    this.#pending = writes.text.append(this.#pending, text);
    this.#pendingBytes += bytes;
    metrics.sent(1, bytes);
  }

  #closed(code: number): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    for (const topic of this.#topics) this.parts.topics.unsubscribe(topic, this);
    this.#topics.clear();
    this.#early = [];
    this.#pending = '';
    this.#pendingBytes = 0;
    this.parts.onEnd(this.connection, code);
  }
}

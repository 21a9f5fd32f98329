import type { Socket } from '@carillon/uws';

/** Limit of unwritten messages per subscriber in the library. */
const MAX_PENDING = 32;

interface Written {
  readonly text: string;
  unsentBytes: number;
}

/** Topics of a fake native library: publications are written at the end of the turn, or before any send. */
export class FakeTopics {
  readonly #subscribers = new Map<string, Set<FakeNative>>();

  of(topic: string): Set<FakeNative> {
    const found = this.#subscribers.get(topic) ?? new Set();
    this.#subscribers.set(topic, found);
    return found;
  }

  publish(topic: string, text: string, except: FakeNative | null = null): void {
    for (const one of this.of(topic)) if (one !== except) one.enqueue(text);
  }

  /** Whether it is subscribed to any topic of this channel. */
  has(channel: string, native: FakeNative): boolean {
    return [...this.#subscribers].some(([topic, all]) => topic.endsWith(`/${channel}`) && all.has(native));
  }

  forget(native: FakeNative): void {
    for (const subscribers of this.#subscribers.values()) subscribers.delete(native);
  }
}

/** Callbacks of the library. */
export interface NativeEvents {
  drained(): void;
  dropped(): void;
  closed(code: number): void;
}

/**
 * Native socket whose client reads on request only. It behaves as the library does: a bounded kernel buffer, with the
 * rest in the send buffer; a frame that exceeds the send buffer is dropped and reported, even within `send`.
 */
export class FakeNative {
  /** Frames that the client has read. */
  readonly received: string[] = [];
  /** Frames that the library dropped. */
  readonly dropped: string[] = [];
  /** Number of messages passed to it, excluding those dropped within `send`. */
  givenCount = 0;
  closeCode: number | null = null;
  couldNotEnd = false;
  #kept: Written[] = [];
  #pending: string[] = [];
  #isClosed = false;

  constructor(
    private readonly topics: FakeTopics,
    private readonly events: NativeEvents,
    private readonly maxKeptBytes: number,
    /** Bytes that the client and the kernel accept before anything is buffered. */
    private roomBytes: number,
  ) {}

  /** Cast to the socket type of the package. */
  get native(): Parameters<Socket<unknown>['opened']>[0] {
    return this as unknown as Parameters<Socket<unknown>['opened']>[0];
  }

  /** Texts that were passed to it and are neither read nor dropped. */
  get underWay(): readonly string[] {
    return [...this.#kept.map(({ text }) => text), ...this.#pending];
  }

  getBufferedAmount(): number {
    return this.#kept.reduce((sum, { unsentBytes }) => sum + unsentBytes, 0);
  }

  send(text: string): number {
    if (this.#throwsAway(text)) return 2;
    this.flush();
    this.givenCount += 1;
    this.#write(text);
    return this.#kept.length > 0 ? 0 : 1;
  }

  subscribe(topic: string): boolean {
    const subscribers = this.topics.of(topic);
    if (subscribers.has(this)) return false;
    subscribers.add(this);
    return true;
  }

  unsubscribe(topic: string): boolean {
    return this.topics.of(topic).delete(this);
  }

  isSubscribed(topic: string): boolean {
    return this.topics.of(topic).has(this);
  }

  publish(topic: string, text: string): boolean {
    this.topics.publish(topic, text, this);
    return true;
  }

  cork(work: () => void): void {
    work();
  }

  /** Does nothing if not even the close frame fits. */
  end(code: number): void {
    this.couldNotEnd = this.#isFull;
    if (this.couldNotEnd) return;
    this.flush();
    this.closeCode = code;
    this.#over(code);
  }

  close(): void {
    this.#kept = [];
    this.#pending = [];
    this.#over(1006);
  }

  enqueue(text: string): void {
    this.givenCount += 1;
    this.#pending.push(text);
    if (this.#pending.length === MAX_PENDING) this.flush();
  }

  /** Writes the pending publications. */
  flush(): void {
    for (const text of this.#pending.splice(0)) if (!this.#throwsAway(text)) this.#write(text);
  }

  /** The client reads this number of bytes. */
  read(bytes: number): void {
    this.roomBytes += bytes;
    const before = this.getBufferedAmount();
    this.#fill();
    if (!this.#isClosed && this.getBufferedAmount() < before) this.events.drained();
  }

  get #isFull(): boolean {
    return this.getBufferedAmount() > this.maxKeptBytes;
  }

  #throwsAway(text: string): boolean {
    if (!this.#isFull) return false;
    this.dropped.push(text);
    this.events.dropped();
    // The library would access freed memory.
    if (this.#isClosed) throw new Error('ended while the library writes');
    return true;
  }

  #write(text: string): void {
    this.#kept.push({ text, unsentBytes: Buffer.byteLength(text) });
    this.#fill();
  }

  #fill(): void {
    for (let first = this.#kept[0]; first !== undefined; first = this.#kept[0]) {
      const taken = Math.min(first.unsentBytes, this.roomBytes);
      first.unsentBytes -= taken;
      this.roomBytes -= taken;
      if (first.unsentBytes > 0) return;
      this.received.push(first.text);
      this.#kept.shift();
    }
  }

  #over(code: number): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.topics.forget(this);
    this.events.closed(code);
  }
}

import type { Socket } from '@carillon/uws';

/** Messages a subscriber may have waiting in the library before they are written. */
const MAX_PENDING = 32;

interface Written {
  readonly text: string;
  unsentBytes: number;
}

/** The topics of a fake native library: what is published is written at the end of the turn, or before any send. */
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

  /** Whether it is on a topic of this channel, whatever frames that is for. */
  has(channel: string, native: FakeNative): boolean {
    return [...this.#subscribers].some(([topic, all]) => topic.endsWith(`/${channel}`) && all.has(native));
  }

  forget(native: FakeNative): void {
    for (const subscribers of this.#subscribers.values()) subscribers.delete(native);
  }
}

/** What the library calls back for. */
export interface NativeEvents {
  drained(): void;
  dropped(): void;
  closed(code: number): void;
}

/**
 * A native socket whose client reads only when told to. It behaves as the library does: a bounded kernel buffer, the
 * rest kept; what comes when more is kept than may be is thrown away and told of, also within `send`.
 */
export class FakeNative {
  /** What the client has read. */
  readonly received: string[] = [];
  /** What the library threw away. */
  readonly dropped: string[] = [];
  /** How often it was given a message, but for those it threw away within `send`. */
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
    /** What the client and the kernel take before anything is kept. */
    private roomBytes: number,
  ) {}

  /** As the room takes it. */
  get native(): Parameters<Socket<unknown>['opened']>[0] {
    return this as unknown as Parameters<Socket<unknown>['opened']>[0];
  }

  /** Texts that were handed over and are neither read nor thrown away. */
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

  /** Nothing happens when not even the close frame fits. */
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

  /** Writes what was published. */
  flush(): void {
    for (const text of this.#pending.splice(0)) if (!this.#throwsAway(text)) this.#write(text);
  }

  /** The client reads so much more. */
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
    // The library would go on with memory that is freed.
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

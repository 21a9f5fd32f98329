import type { App } from '@carillon/app-registry';
import { Socket } from '@carillon/uws';
import { expect } from 'vitest';
import { Subscriber } from '../../src/subscriber/subscriber.js';
import { PendingFrames } from '../../src/channels/pending-frames.js';
import type { LocalChannel } from '../../src/channels/local-channel.js';
import { FakeNative } from './fake-native.js';
import { EDGE, TEXT } from '../samples.js';
import type { LaneScene } from './lane-scene.js';

/** A hold of one channel, and the frames that the client must receive at its end. */
interface Held {
  readonly gate: PendingFrames;
  readonly texts: string[];
}

const bytesOf = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);

/** Close code of a client. */
const LEFT = 1000;

const isFarewell = (text: string): boolean => text.startsWith('failed');

/**
 * One client and the frames it must receive: those of its subscriptions and those sent to it. Rejected frames are
 * predicted from the bounds and the library's buffer, without access to the lane.
 */
export class LaneClient {
  readonly subscriber: Subscriber;
  readonly native: FakeNative;
  /** Number of frames reported as dropped. */
  droppedCount = 0;
  readonly #expected: string[] = [];
  readonly #refused = new Set<string>();
  /** Frames accepted while it was slow, and not passed to the library yet. */
  readonly #queued: string[] = [];
  readonly #held = new Map<string, Held>();
  #hasClosed = false;
  #isLeaving = false;

  constructor(
    private readonly scene: LaneScene,
    app: App,
    about: { readonly id: string; readonly keptBytes: number; readonly roomBytes: number },
  ) {
    const { outlet, hubs, topics } = scene;
    this.subscriber = new Subscriber(about.id, hubs.of(app), EDGE, TEXT);
    const socket = new Socket<unknown>(this.subscriber);
    const events = {
      drained: () => outlet.drained(this.subscriber),
      dropped: () => outlet.dropped(this.subscriber),
      closed: () => this.#closed(socket),
    };
    this.native = new FakeNative(topics, events, about.keptBytes, about.roomBytes);
    socket.opened(this.native.native);
    this.subscriber.socket = socket;
    hubs.admit(this.subscriber);
  }

  get isOpen(): boolean {
    return this.subscriber.isOpen;
  }

  /** All frames that the library accepted and did not drop, except the final error frame. */
  get handed(): readonly string[] {
    const { received, underWay } = this.native;
    return [...received, ...underWay].filter((text) => !isFarewell(text));
  }

  subscribe(name: string): void {
    if (!this.isOpen || this.#channel(name) !== undefined) return;
    const channel = this.scene.book.open(this.subscriber.hub, this.scene.about(name));
    this.scene.book.enter(this.subscriber, channel, null);
    channel.open(this.subscriber);
  }

  unsubscribe(name: string): void {
    const channel = this.#channel(name);
    if (this.isOpen && channel !== undefined && !this.#held.has(name))
      this.scene.book.leave(this.subscriber, channel);
  }

  /** Begins a hold of a channel, until other frames have reached the client. */
  hold(name: string): void {
    const channel = this.#channel(name);
    if (!this.isOpen || channel === undefined || this.#held.has(name)) return;
    const held = { gate: new PendingFrames(this.subscriber, this.scene.outlet), texts: [] };
    this.#held.set(name, held);
    channel.hold(held.gate);
  }

  release(name: string): void {
    const held = this.#held.get(name);
    const channel = this.#channel(name);
    if (held === undefined || channel === undefined) return;
    this.#held.delete(name);
    this.#expected.push(...held.texts);
    void channel.release(held.gate);
  }

  send(text: string): void {
    if (!this.isOpen) return;
    this.#expected.push(text);
    this.scene.outlet.sendFrame(this.subscriber, text);
  }

  /** The client closes. */
  close(): void {
    if (!this.isOpen) return;
    this.#isLeaving = true;
    this.native.end(LEFT);
  }

  /** Expects an event that is about to be published, if the client is subscribed. */
  expectEvent(name: string, text: string): void {
    if (!this.isOpen || this.#channel(name) === undefined) return;
    const held = this.#held.get(name);
    if (held === undefined) this.#expected.push(text);
    else if (this.#fitsHold(held, text)) held.texts.push(text);
    else this.#refused.add(text);
  }

  /** Wraps the queueing of a text: predicts whether it fits. */
  judge(text: string, queue: () => void): void {
    if (this.isOpen && !this.#fitsQueue(text)) this.#refused.add(text);
    else this.#queued.push(text);
    queue();
  }

  /** Compares the actual with the expected state. */
  check(): void {
    const { disconnects } = this.scene.outlet.bounds;
    const lost = new Set([...this.#refused, ...this.native.dropped.filter((text) => !isFarewell(text))]);
    const { handed } = this;
    const accepted = this.#expected.filter((text) => !lost.has(text));
    // In order, exactly once, and nothing else.
    expect(handed).toEqual(accepted.slice(0, handed.length));
    this.#forgetHanded();
    if (disconnects && lost.size > 0) return this.#checkEnded();
    if (!disconnects) expect(this.droppedCount).toBe(lost.size);
    expect(this.subscriber.endedFor).toBeNull();
    if (this.isOpen) this.#checkWaiting(accepted.slice(handed.length));
  }

  /** Checks that nothing is missing, once the client has read everything. */
  checkEnd(): void {
    this.check();
    if (!this.isOpen) return;
    expect(this.subscriber.lane).toBeNull();
    expect(this.#queued).toEqual([]);
    const lost = new Set([...this.#refused, ...this.native.dropped]);
    expect(this.native.received).toEqual(this.#expected.filter((text) => !lost.has(text)));
  }

  #checkEnded(): void {
    expect(this.subscriber.endedFor).toBe('over_capacity');
    expect(this.isOpen).toBe(false);
    // The close frame is missing only if the library's buffer has no capacity for it.
    if (this.native.closeCode === null) expect(this.native.couldNotEnd).toBe(true);
    else expect(this.native.closeCode).toBe(this.#isLeaving ? LEFT : 4100);
  }

  #checkWaiting(waiting: readonly string[]): void {
    const { maxFrames, slowBytes } = this.scene.outlet.bounds;
    const { lane } = this.subscriber;
    expect(waiting).toEqual(this.#queued);
    expect(waiting.length).toBeLessThanOrEqual(maxFrames);
    // Nothing waits that could be sent.
    if (waiting.length > 0) expect(this.native.getBufferedAmount()).toBeGreaterThanOrEqual(slowBytes);
    // Subscribed to all topics or to none.
    for (const { channel } of this.subscriber.subscriptions) {
      const isOnTopic = this.scene.topics.has(`${channel.hub.appId}/${channel.name}`, this.native);
      expect(isOnTopic).toBe(lane === null && !this.#held.has(channel.name));
    }
  }

  #fitsQueue(text: string): boolean {
    const { maxFrames, maxBytes, slowBytes } = this.scene.outlet.bounds;
    this.#forgetHanded();
    const kept = this.native.getBufferedAmount();
    if (bytesOf([...this.#queued, text]) + kept > maxBytes) return false;
    const goesOn = this.#queued.length === 0 && kept < slowBytes;
    return goesOn || this.#queued.length < maxFrames;
  }

  #fitsHold({ texts }: Held, text: string): boolean {
    const { maxFrames, maxBytes } = this.scene.outlet.bounds;
    return texts.length < maxFrames && bytesOf([...texts, text]) <= maxBytes;
  }

  #forgetHanded(): void {
    const handed = new Set(this.handed);
    while (this.#queued[0] !== undefined && handed.has(this.#queued[0])) this.#queued.shift();
  }

  #channel(name: string): LocalChannel | undefined {
    return this.subscriber.subscriptions.get(name)?.channel;
  }

  #closed(socket: Socket<unknown>): void {
    if (this.#hasClosed) return;
    this.#hasClosed = true;
    socket.closed();
    this.subscriber.lane = null;
    this.scene.hubs.dismiss(this.subscriber);
    for (const { channel } of this.subscriber.subscriptions) this.scene.book.leave(this.subscriber, channel);
  }
}

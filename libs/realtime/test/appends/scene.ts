import { Channels, type OrdinaryChannel } from '@carillon/channels';
import type { Broker } from '@carillon/broker';
import type { Message, ResumeFailed } from '@carillon/protocol';
import { Hubs } from '../../src/apps/hubs.js';
import { type AppendWays } from '../../src/appends/append-throttle.js';
import { FlushWheel } from '../../src/appends/flush-wheel.js';
import type { Text } from '../../src/appends/full-text-expander.js';
import { PendingFrames } from '../../src/channels/pending-frames.js';
import { ChannelBook } from '../../src/channels/channel-book.js';
import type { LocalChannel } from '../../src/channels/local-channel.js';
import type { Appends, Codec } from '../../src/codec.js';
import { Delivery } from '../../src/delivery/delivery.js';
import { Outlet } from '../../src/delivery/outlet.js';
import { PatternBook } from '../../src/patterns/pattern-book.js';
import { Subscriber, type SubscriberSocket } from '../../src/subscriber/subscriber.js';
import { app, config, EDGE, message, metrics } from '../samples.js';

const BOUNDS = { maxFrames: 1000, maxBytes: 1e6, slowBytes: 1e6, disconnects: true, compress: false };

/** One codec per combination of append options; a frame is the message itself. */
const codecs = new Map<string, Codec>();
export function codecOf(appends: Appends): Codec {
  const key = JSON.stringify(appends);
  const codec = codecs.get(key) ?? {
    appends,
    encode: (fact) => (fact.kind === 'subscribed' ? null : JSON.stringify(fact)),
  };
  codecs.set(key, codec);
  return codec;
}

/** The channel, and patterns that match it. */
export const VIEWS = ['ai-x', 'ai-*', '*-x'] as const;
export type View = (typeof VIEWS)[number];

/** A client with its received frames and the texts it assembles from them. */
class Reader {
  readonly frames: Message[] = [];
  /** Serials reported with each gap. */
  readonly gaps: (number | null)[] = [];
  /** Serial up to which the client has read the history itself. */
  #readUpTo = 0;
  /** By message, from the serial at which the client subscribed. */
  texts = new Map<string, string>();
  readonly subscriber: Subscriber;
  gate: PendingFrames | null = null;

  constructor(
    private readonly scene: AppendScene,
    readonly appends: Appends,
    id: string,
  ) {
    this.subscriber = new Subscriber(id, scene.hub, EDGE, codecOf(appends));
    this.subscriber.socket = scene.socket((frame) => {
      const one = JSON.parse(frame) as Message | ResumeFailed;
      if (one.kind === 'resume_failed') this.#lose(one);
      else this.#take(one);
    });
    scene.hub.add(this.subscriber);
  }

  get isHearing(): boolean {
    return this.subscriber.subscriptions.size + (this.subscriber.patterns?.size ?? 0) > 0;
  }

  /** Subscribes to the channel, or to a pattern that matches it. */
  join(view: View): void {
    if (!this.isHearing) this.texts = new Map(this.scene.texts);
    this.scene.enter(this.subscriber, view);
  }

  leave(view: View): void {
    this.release();
    this.scene.leave(this.subscriber, view);
  }

  /** Reads the stored texts after a gap. */
  #lose({ failure }: ResumeFailed): void {
    this.gaps.push(failure.newestSerial);
    this.texts = new Map(this.scene.texts);
    this.#readUpTo = this.scene.serial;
  }

  #take(one: Message): void {
    this.frames.push(one);
    if (one.serial !== null && one.serial <= this.#readUpTo) return;
    const name = one.messageId;
    const data = JSON.parse(one.dataText ?? '""') as string;
    const isPiece = one.action === 'append' && !this.appends.wholes;
    if (one.action !== 'plain') this.texts.set(name, isPiece ? `${this.texts.get(name) ?? ''}${data}` : data);
  }

  hold(): void {
    if (this.gate !== null || !this.scene.channel.has(this.subscriber)) return;
    this.gate = new PendingFrames(this.subscriber, this.scene.outlet);
    this.scene.channel.hold(this.gate);
  }

  release(): void {
    if (this.gate !== null) void this.scene.channel.release(this.gate);
    this.gate = null;
  }
}

/** One channel, its clients, and the texts of its messages. */
export class AppendScene {
  readonly texts = new Map<string, string>();
  /** Texts of all messages as of each serial. */
  readonly #asOf: ReadonlyMap<string, string>[] = [];
  readonly #book: ChannelBook;
  readonly #patterns: PatternBook;
  readonly #delivery: Delivery;
  readonly #hubs = new Hubs(metrics());
  readonly #channels = new Channels(config({ CONNECTION_RECOVERY_ENABLED: 'true' }));
  readonly hub = this.#hubs.of(app());
  readonly outlet = new Outlet(BOUNDS, { dropped: () => undefined });
  readonly wheel: FlushWheel;
  readonly readers: Reader[] = [];
  nowMs = 0;
  serial = 0;
  reads = 0;
  /** Whether the store is unavailable. */
  isAway = false;
  readonly #topics = new Map<string, Set<object>>();
  readonly #receive = new WeakMap<object, (frame: string) => void>();

  constructor(more: Partial<AppendWays> = {}) {
    this.wheel = new FlushWheel({ tickMs: 5, shards: 4, nowMs: () => this.nowMs });
    const publish = (topic: string, frame: unknown): void => this.#publish(topic, String(frame));
    const appends: AppendWays = {
      isRolledUp: () => true,
      limits: { maxStreams: 2, orphanTtlMs: 1000, maxPendingBytes: 50 },
      maxWholeBytes: 40,
      wheel: this.wheel,
      nowMs: () => this.nowMs,
      text: async (_app, _channel, name, serial) => {
        // By then more messages may be stored than were delivered.
        await turn();
        if (this.isAway) throw new Error('the store is away');
        return this.#stored(name, serial);
      },
      onTrouble: (what, error) => {
        throw new Error(what, { cause: error });
      },
      ...more,
    };
    const ways = { outlet: this.outlet, publish, appends };
    const nowhere = { subscribe: () => undefined, unsubscribe: () => {} } as unknown as Broker;
    const noMeta = { begin: () => undefined, end: () => {} };
    this.#book = new ChannelBook(this.#hubs, nowhere, ways, { follow() {}, leave() {} }, noMeta, true);
    this.#patterns = new PatternBook({
      hubs: this.#hubs,
      broker: { subscribeAll: () => undefined, unsubscribeAll: () => {} },
      ways,
      channels: this.#channels,
      maxSubscriptions: 100,
      onTrouble: appends.onTrouble,
    });
    this.#delivery = new Delivery(this.#hubs, this.outlet, this.#patterns);
  }

  /** Open while it has a subscriber. */
  get channel(): LocalChannel {
    return this.#book.open(this.hub, this.#about('ai-x'));
  }

  enter(subscriber: Subscriber, view: View): void {
    const { channel } = this;
    if (view !== 'ai-x') {
      const pattern = this.#channels.subscription(this.hub.app, view, 2);
      if (!pattern.accepted || pattern.form !== 'pattern') throw new Error(view);
      const request = { subscriber, pattern, codec: subscriber.codec };
      void this.#patterns.join({ ...request, refused: () => undefined, settled: () => undefined });
    } else if (!channel.has(subscriber)) {
      this.#book.enter(subscriber, channel, null);
      channel.open(subscriber);
    }
    this.#book.settle(channel);
  }

  leave(subscriber: Subscriber, view: View): void {
    const { channel } = this;
    if (view !== 'ai-x') this.#patterns.leave(subscriber, view);
    else if (channel.has(subscriber)) this.#book.leave(subscriber, channel);
    this.#book.settle(channel);
  }

  #about(name: string): OrdinaryChannel {
    const about = this.#channels.subscription(this.hub.app, name, 2);
    if (!about.accepted || about.form !== 'ordinary') throw new Error('no channel');
    return about;
  }

  socket(receive: (frame: string) => void): SubscriberSocket {
    const of = (topic: string): Set<object> => {
      const found = this.#topics.get(topic) ?? new Set();
      this.#topics.set(topic, found);
      return found;
    };
    const socket = {
      isOpen: true,
      bufferedBytes: 0,
      subscribe: (topic: string) => of(topic).add(socket).size > 0,
      unsubscribe: (topic: string) => of(topic).delete(socket),
      isSubscribed: (topic: string) => of(topic).has(socket),
      send: (frame: string) => {
        receive(frame);
        return 'sent';
      },
    };
    this.#receive.set(socket, receive);
    return socket as unknown as SubscriberSocket;
  }

  join(appends: Appends, ...views: readonly View[]): Reader {
    const reader = new Reader(this, appends, `${this.readers.length}.1`);
    this.readers.push(reader);
    for (const view of views.length === 0 ? ([VIEWS[0]] as const) : views) reader.join(view);
    return reader;
  }

  /** Assigns the next serial, and records the stored texts as of the previous one. */
  #next(): void {
    this.#asOf[this.serial] = new Map(this.texts);
    this.serial += 1;
  }

  tell(action: Message['action'], name: string, data: string, isOver = false): void {
    this.#next();
    const before = action === 'append' ? (this.texts.get(name) ?? '') : '';
    if (action !== 'plain') this.texts.set(name, before + data);
    const ai = isOver ? { ai: { transport: { status: 'complete' } } } : {};
    const headers = { service_message_serial: name };
    this.#delivery.deliver({
      appId: this.hub.appId,
      channel: 'ai-x',
      exceptSocketId: null,
      publishedAtMs: 0,
      fact: message({
        channel: 'ai-x',
        action,
        messageId: name,
        dataText: JSON.stringify(data),
        extrasText: action === 'plain' ? null : JSON.stringify({ ...ai, headers }),
        serial: this.serial,
        streamId: 's',
      }),
    });
  }

  /** Publishes an append that is never delivered here. */
  lose(name: string, data: string): void {
    this.#next();
    this.texts.set(name, (this.texts.get(name) ?? '') + data);
    this.#delivery.lost(this.hub.appId, 'ai-x', { streamId: 's', serial: this.serial - 1 });
  }

  pass(ms: number): void {
    this.nowMs += ms;
    this.wheel.turn();
  }

  #stored(name: string, serial: number): Text | null {
    this.reads += 1;
    const text = (this.#asOf[serial] ?? this.texts).get(name);
    return text === undefined ? null : { inner: JSON.stringify(text).slice(1, -1), serial };
  }

  #publish(topic: string, frame: string): void {
    for (const socket of this.#topics.get(topic) ?? []) this.#receive.get(socket)?.(frame);
  }
}

/** Lets pending reads complete. */
export const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

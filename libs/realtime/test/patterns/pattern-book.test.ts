import { Channels, type ChannelPattern, type OrdinaryChannel } from '@carillon/channels';
import type { Broker } from '@carillon/broker';
import { Socket } from '@carillon/uws';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { Hubs } from '../../src/apps/hubs.js';
import { ChannelBook } from '../../src/channels/channel-book.js';
import type { Codec, Frame } from '../../src/codec.js';
import { Delivery } from '../../src/delivery/delivery.js';
import { Outlet } from '../../src/delivery/outlet.js';
import { PatternBook } from '../../src/patterns/pattern-book.js';
import { Subscriber } from '../../src/subscriber/subscriber.js';
import { FakeNative, FakeTopics } from '../delivery/fake-native.js';
import { app, config, EDGE, message, metrics, TEXT } from '../samples.js';

const APP = app();
const CHANNELS = new Channels(config({ CONNECTION_RECOVERY_ENABLED: 'true' }));
const PATTERNS = ['n.*', '*.eu', '*'] as const;
const NAMES = ['n.eu', 'n.us', 'x'] as const;
/** Filter that removes even events. */
const ODD: Codec = {
  encode: (fact, frames) =>
    fact.kind === 'message' && Number(fact.event) % 2 === 0 ? null : frames.of(TEXT),
};
const BOUNDS = { maxFrames: Infinity, maxBytes: Infinity, slowBytes: 40, disconnects: true, compress: false };

const nothing = (): void => undefined;
const fits = (pattern: string, channel: string): boolean => {
  const [before = '', after = ''] = pattern.split('*');
  return channel.startsWith(before) && channel.endsWith(after);
};
const patternOf = (name: string): ChannelPattern => {
  const channel = CHANNELS.subscription(APP, name, 2);
  if (!channel.accepted || channel.form !== 'pattern') throw new Error(name);
  return channel;
};
const channelOf = (name: string): OrdinaryChannel => {
  const channel = CHANNELS.subscription(APP, name, 2);
  if (!channel.accepted || channel.form !== 'ordinary') throw new Error(name);
  return channel;
};

/** Patterns and channels over fake native sockets. */
class Scene {
  readonly topics = new FakeTopics();
  readonly #hubs = new Hubs(metrics());
  readonly #outlet = new Outlet(BOUNDS, { dropped: () => undefined });
  readonly #book: ChannelBook;
  readonly #patterns: PatternBook;
  readonly #delivery: Delivery;
  readonly clients: readonly {
    readonly subscriber: Subscriber;
    readonly native: FakeNative;
    /** By pattern name, whether the filter applies. */
    readonly views: Map<string, boolean>;
    readonly expected: string[];
  }[];
  #published = 0;

  constructor() {
    const publish = (topic: string, frame: Frame): void => this.topics.publish(topic, String(frame));
    const nowhere = { subscribe: () => undefined, unsubscribe: () => {} } as unknown as Broker;
    const all = { subscribeAll: () => undefined, unsubscribeAll: () => {} };
    const noMeta = { begin: () => undefined, end: () => {} };
    const ways = { outlet: this.#outlet, publish, appends: null };
    this.#book = new ChannelBook(this.#hubs, nowhere, ways, { follow() {}, leave() {} }, noMeta, true);
    const parts = {
      hubs: this.#hubs,
      broker: all,
      ways,
      channels: CHANNELS,
      maxSubscriptions: 100,
      onTrouble: nothing,
    };
    this.#patterns = new PatternBook(parts);
    this.#delivery = new Delivery(this.#hubs, this.#outlet, this.#patterns);
    // The last client reads nothing until the end.
    this.clients = [1e9, 1e9, 60].map((room, at) => this.#client(`${at}.${at}`, room));
  }

  #client(id: string, room: number): Scene['clients'][number] {
    const subscriber = new Subscriber(id, this.#hubs.of(APP), EDGE, TEXT);
    const socket = new Socket<unknown>(subscriber);
    const drained = (): void => this.#outlet.drained(subscriber);
    const native = new FakeNative(this.topics, { drained, dropped() {}, closed() {} }, 1e9, room);
    socket.opened(native.native);
    subscriber.socket = socket;
    this.#hubs.admit(subscriber);
    return { subscriber, native, views: new Map(), expected: [] };
  }

  join(at: number, name: string, isFiltered: boolean): void {
    const { subscriber, views, expected } = this.#at(at);
    const codec = isFiltered ? ODD : TEXT;
    const isPattern = name.includes('*');
    if (isPattern) {
      const pattern = patternOf(name);
      void this.#patterns.join({ subscriber, pattern, codec, refused: nothing, settled: nothing });
      expected.push('subscribed');
    } else {
      const channel = this.#book.open(subscriber.hub, channelOf(name));
      if (channel.has(subscriber)) channel.recode(subscriber, codec);
      else this.#book.enter(subscriber, channel, null, codec);
      channel.open(subscriber);
    }
    views.set(name, isFiltered);
  }

  leave(at: number, name: string): void {
    const { subscriber, views } = this.#at(at);
    views.delete(name);
    if (name.includes('*')) return this.#patterns.leave(subscriber, name);
    const channel = subscriber.subscriptions.get(name)?.channel;
    if (channel !== undefined) this.#book.leave(subscriber, channel);
  }

  publish(name: string, except: number | null): void {
    this.#published += 1;
    const event = String(this.#published);
    const fact = message({ channel: name, event });
    for (const [at, { views, expected }] of this.clients.entries()) {
      const isHeard = [...views].some(
        ([view, isFiltered]) =>
          (view === name || (view.includes('*') && fits(view, name))) &&
          (!isFiltered || this.#published % 2 === 1),
      );
      if (isHeard && at !== except) expected.push(event);
    }
    const exceptSocketId = except === null ? null : this.#at(except).subscriber.id;
    this.#delivery.deliver({ appId: APP.id, channel: name, fact, exceptSocketId, publishedAtMs: 0 });
  }

  /** Publishes an event that is never delivered here. */
  lose(name: string): void {
    for (const { views, expected } of this.clients) {
      const isTold = [...views.keys()].some(
        (view) => view === name || (view.includes('*') && fits(view, name)),
      );
      if (isTold) expected.push('resume_failed');
    }
    this.#delivery.lost(APP.id, name, { streamId: 's', serial: 1 });
  }

  end(): void {
    for (const { native } of this.clients) {
      native.flush();
      for (let n = 0; n < 50; n += 1) native.read(1000);
    }
  }

  #at(at: number): Scene['clients'][number] {
    const client = this.clients[at];
    if (client === undefined) throw new Error(`no client ${at}`);
    return client;
  }
}

const at = fc.nat({ max: 2 });
const view = fc.constantFrom(...PATTERNS, ...NAMES);
const step = fc.oneof(
  fc.record({ kind: fc.constant('join' as const), at, view, isFiltered: fc.boolean() }),
  fc.record({ kind: fc.constant('leave' as const), at, view }),
  fc.record({ kind: fc.constant('lose' as const), channel: fc.constantFrom(...NAMES) }),
  fc.record({
    kind: fc.constant('publish' as const),
    channel: fc.constantFrom(...NAMES),
    except: fc.option(at),
    times: fc.constantFrom(1, 2, 17),
  }),
);

it('everybody hears everything, and that something is lost, once and in order, by whatever patterns and channels it comes', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const scene = new Scene();
      for (const one of steps) {
        if (one.kind === 'join') scene.join(one.at, one.view, one.isFiltered);
        else if (one.kind === 'leave') scene.leave(one.at, one.view);
        else if (one.kind === 'lose') scene.lose(one.channel);
        else for (let n = 0; n < one.times; n += 1) scene.publish(one.channel, one.except);
      }
      scene.end();
      for (const { native, expected } of scene.clients) expect(native.received).toEqual(expected);
    }),
    { numRuns: 300 },
  );
});

it('hands a message to all who have one pattern by one native publish for each codec', () => {
  const scene = new Scene();
  for (const at of [0, 1]) scene.join(at, 'n.*', false);
  const published: string[] = [];
  const native = scene.topics.publish.bind(scene.topics);
  scene.topics.publish = (topic, ...more) => {
    published.push(topic);
    native(topic, ...more);
  };
  scene.publish('n.eu', null);
  scene.publish('x', null);
  expect(published).toHaveLength(1);
  scene.join(1, 'n.*', true);
  scene.publish('n.eu', null);
  expect(published).toHaveLength(3);
});

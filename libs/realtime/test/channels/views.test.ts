import { Channels } from '@carillon/channels';
import type { Broker } from '@carillon/broker';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Hubs } from '../../src/apps/hubs.js';
import { ChannelBook } from '../../src/channels/channel-book.js';
import { PendingFrames } from '../../src/channels/pending-frames.js';
import { LocalChannel } from '../../src/channels/local-channel.js';
import { occupancyOf } from '../../src/channels/occupancy.js';
import type { Codec } from '../../src/codec.js';
import { Outlet } from '../../src/delivery/outlet.js';
import type { Edge } from '../../src/edge.js';
import { Joins, type JoinsParts } from '../../src/joining/joins.js';
import { Leaving, type LeavingParts } from '../../src/leave/leaving.js';
import { Subscriber, type SubscriberSocket } from '../../src/subscriber/subscriber.js';
import { app, config, EDGE, hub, message, metrics } from '../samples.js';

const BOUNDS = { maxFrames: 1000, maxBytes: 1e6, slowBytes: 1e6, disconnects: true, compress: false };
const VIEWS = [undefined, 'odd', 'all'] as const;
type View = (typeof VIEWS)[number];

/**
 * A frame contains the view and the event; one of the views filters out even events. With or without a role of its
 * own.
 */
const codecOf = (view: View, publishes: boolean): Codec => ({
  view,
  roles: { publishes, subscribes: true, enters: false, seesMembers: view === undefined },
  encode: (fact) => {
    if (fact.kind !== 'message') return null;
    return view === 'odd' && Number(fact.event) % 2 === 0 ? null : `${view} ${fact.event}`;
  },
});
const CODECS = VIEWS.flatMap((view) => [codecOf(view, true), codecOf(view, false)]);
const codec = (view: View, publishes: boolean): Codec =>
  CODECS[VIEWS.indexOf(view) * 2 + Number(!publishes)] ?? codecOf(view, publishes);

/** All of its views but one echo its own messages. */
const edge = (lost: string[]): Edge => ({
  ...EDGE,
  echoes: (_sender, _message, view) => view !== 'all',
  lost: ({ id }, _channel, view) => void lost.push(`${id} ${view}`),
});

/** One channel, and connections with several views of it. */
class Scene {
  readonly lost: string[] = [];
  readonly #outlet = new Outlet(BOUNDS, { dropped: () => undefined });
  readonly #topics = new Map<string, Set<{ send(frame: string): string }>>();
  readonly channel: LocalChannel;
  readonly clients: {
    readonly subscriber: Subscriber;
    readonly got: string[];
    readonly expected: string[];
    /** By view, whether it may publish. */
    readonly views: Map<View, boolean>;
    readonly gates: Map<View, { gate: PendingFrames; held: string[] }>;
  }[] = [];
  #events = 0;

  constructor() {
    const about = new Channels(config()).subscription(app(), 'news', 2);
    if (!about.accepted || about.form !== 'ordinary') throw new Error('no channel');
    const publish = (topic: string, frame: unknown): void => {
      for (const socket of this.#topics.get(topic) ?? []) socket.send(String(frame));
    };
    this.channel = new LocalChannel(hub(), about, { outlet: this.#outlet, publish, appends: null });
    for (const id of ['1.1', '2.1', '3.1']) this.clients.push(this.#client(id));
  }

  #client(id: string): Scene['clients'][number] {
    const got: string[] = [];
    const subscriber = new Subscriber(id, this.channel.hub, edge(this.lost), codec(undefined, true));
    const of = (topic: string) => {
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
      publish: (topic: string, frame: string) => {
        for (const one of of(topic)) if (one !== socket) one.send(frame);
      },
      send: (frame: string) => {
        got.push(frame);
        return 'sent';
      },
    };
    subscriber.socket = socket as unknown as SubscriberSocket;
    this.channel.hub.add(subscriber);
    return { subscriber, got, expected: [], views: new Map(), gates: new Map() };
  }

  join(at: number, view: View, publishes: boolean): void {
    const { subscriber, views } = this.#at(at);
    if (this.channel.has(subscriber)) this.channel.recode(subscriber, codec(view, publishes));
    else this.channel.add(subscriber, null, codec(view, publishes));
    views.set(view, publishes);
    if (!this.#at(at).gates.has(view)) this.channel.open(subscriber, view);
  }

  leave(at: number, view: View): void {
    const { subscriber, views, gates } = this.#at(at);
    this.release(at, view);
    if (!views.delete(view)) return;
    gates.delete(view);
    if (views.size === 0) this.channel.remove(subscriber);
    else this.channel.removeView(subscriber, view);
  }

  hold(at: number, view: View): void {
    const { subscriber, gates, views } = this.#at(at);
    if (gates.has(view) || !views.has(view)) return;
    const gate = new PendingFrames(subscriber, this.#outlet, codec(view, true));
    gates.set(view, { gate, held: [] });
    this.channel.hold(gate);
  }

  release(at: number, view: View): void {
    const { gates, expected } = this.#at(at);
    const held = gates.get(view);
    if (held === undefined) return;
    gates.delete(view);
    void this.channel.release(held.gate);
    expected.push(...held.held);
  }

  /** Returns the number of views that received the event, as counted by the channel. */
  publish(from: number | null): void {
    this.#events += 1;
    const event = String(this.#events);
    let told = 0;
    for (const [at, { views, gates, expected }] of this.clients.entries()) {
      for (const view of views.keys()) {
        const isKept = (view === 'odd' && this.#events % 2 === 0) || (at === from && view === 'all');
        if (isKept) continue;
        told += 1;
        (gates.get(view)?.held ?? expected).push(`${view} ${event}`);
      }
    }
    const sender = from === null ? null : this.#at(from).subscriber.id;
    expect(this.channel.deliver(message({ event, isFromClient: true }), sender)).toBe(told);
  }

  #at(at: number): Scene['clients'][number] {
    const client = this.clients[at];
    if (client === undefined) throw new Error(`no client ${at}`);
    return client;
  }
}

const at = fc.nat({ max: 2 });
const view = fc.constantFrom(...VIEWS);
const step = fc.oneof(
  fc.record({ kind: fc.constant('join' as const), at, view, publishes: fc.boolean() }),
  fc.record({ kind: fc.constantFrom('leave', 'hold', 'release'), at, view }),
  fc.record({ kind: fc.constant('publish' as const), from: fc.option(at) }),
);

describe('views of a channel', () => {
  it('each hear everything once and in order, are held back and echoed to for themselves, and count as one connection', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const scene = new Scene();
        for (const one of steps) {
          if (one.kind === 'join') scene.join(one.at, one.view, one.publishes);
          else if (one.kind === 'publish') scene.publish(one.from);
          else scene[one.kind](one.at, one.view);
          const having = scene.clients.filter(({ views }) => views.size > 0);
          expect(scene.channel.count).toBe(having.length);
          const may = (is: (views: Map<View, boolean>) => boolean): number =>
            having.filter(({ views }) => is(views)).length;
          expect(occupancyOf(scene.channel)).toEqual({
            connections: having.length,
            publishers: may((views) => [...views.values()].some(Boolean)),
            subscribers: having.length,
            presenceConnections: 0,
            presenceSubscribers: may((views) => views.has(undefined)),
          });
        }
        for (const [client, { gates }] of scene.clients.entries())
          for (const held of gates.keys()) scene.release(client, held);
        for (const { got, expected } of scene.clients) {
          for (const one of VIEWS) {
            const of = (frames: readonly string[]) => frames.filter((text) => text.startsWith(`${one} `));
            expect(of(got)).toEqual(of(expected));
          }
        }
        expect([...scene.channel.audiences]).toHaveLength(
          new Set(
            scene.clients.flatMap(({ views }) =>
              [...views].map(([name, publishes]) => `${name} ${publishes}`),
            ),
          ).size,
        );
      }),
      { numRuns: 100 },
    );
  });

  it('are each told of what is lost, behind what comes right behind it', async () => {
    const scene = new Scene();
    for (const one of VIEWS) scene.join(0, one, true);
    scene.join(1, 'odd', true);
    scene.channel.lost(null);
    expect(scene.lost).toEqual([]);
    await Promise.resolve();
    expect(scene.lost.sort()).toEqual(['1.1 all', '1.1 odd', '1.1 undefined', '2.1 odd']);
  });

  it('are joined and left without anybody being told, but for the first and the last', async () => {
    const hubs = new Hubs(metrics());
    const outlet = new Outlet(BOUNDS, { dropped: () => undefined });
    const about = new Channels(config()).subscription(app(), 'news', 2);
    if (!about.accepted || about.form !== 'ordinary') throw new Error('no channel');
    const nowhere = { subscribe: () => undefined, unsubscribe: () => {} } as unknown as Broker;
    const ways = { outlet, publish: () => undefined, appends: null };
    const noMeta = { begin: () => undefined, end: () => {} };
    const book = new ChannelBook(hubs, nowhere, ways, { follow() {}, leave() {} }, noMeta, true);
    const counts: number[] = [];
    book.observe(({ count }) => counts.push(count));
    const joins = new Joins({
      book,
      outlet,
      positions: { has: () => false },
      maxSubscriptions: 1,
    } as unknown as JoinsParts);
    const leaving = new Leaving({ book } as unknown as LeavingParts);
    const one = new Subscriber('1.1', hubs.of(app()), EDGE, codec(undefined, true));
    one.socket = {
      isOpen: true,
      subscribe: () => true,
      unsubscribe: () => true,
    } as unknown as SubscriberSocket;
    const request = { subscriber: one, channel: about, member: null, refused: () => counts.push(-1) };
    for (const name of VIEWS)
      await joins.join({ ...request, codec: codec(name, true), show: async () => undefined });
    expect([counts, one.slots, one.subscriptions.size]).toEqual([[1], 1, 1]);
    for (const name of [undefined, 'none', 'odd', 'odd', 'all'] as (View | 'none')[]) {
      const subscription = one.subscriptions.get('news');
      if (subscription !== undefined) await leaving.view(one, subscription, name);
    }
    expect([counts, one.subscriptions.size, hubs.of(app()).channels.size]).toEqual([[1, 0], 0, 0]);
  });
});

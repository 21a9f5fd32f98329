import { type Codec, type Edge, type Hub, Subscriber } from '@carillon/realtime';
import type { Fact } from '@carillon/protocol';
import { RawSocketClient } from '@carillon/testing';
import type { HttpRequest, Socket, SocketHandlers, UpgradeDecision } from '@carillon/uws';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually, openRoom, type Room } from './room.js';

const PLAIN: Edge = { protocol: 'plain', leaseMs: 0, echoes: () => false };

/** Encodes each fact as a line of text and records the requests. */
class PlainCodec implements Codec {
  readonly asked: Fact[] = [];

  encode(fact: Fact): string | null {
    this.asked.push(fact);
    if (fact.kind === 'message') return `${fact.event} ${fact.dataText ?? ''} ${fact.tagsText ?? ''}`.trim();
    if (fact.kind === 'member_added') return `+${fact.member.userId}`;
    if (fact.kind === 'member_removed') return `-${fact.userId}`;
    if (fact.kind === 'channel_counted') return `#${fact.count}`;
    if (fact.kind === 'subscribed') return `in ${fact.channel} ${fact.members?.length ?? ''}`.trim();
    return fact.kind === 'failed' ? `failed ${fact.code}` : null;
  }
}

type Plain = Subscriber | null;

/** Accepts every client that sends the name of a channel, and optionally of a user. */
class PlainEdge implements SocketHandlers<Plain> {
  #ids = 0;

  constructor(
    private readonly room: Room,
    private readonly codec: Codec,
  ) {}

  upgrade(_request: HttpRequest): UpgradeDecision<Plain> {
    return { accept: null };
  }

  open(socket: Socket<Plain>): void {
    const app = this.room.apps.peekByKey('shop-key');
    if (app === undefined) throw new Error('no app');
    const { hub } = this.room;
    const subscriber = new Subscriber(`7.${(this.#ids += 1)}`, hub.hubs.of(app), PLAIN, this.codec);
    subscriber.socket = socket;
    socket.state = subscriber;
    hub.admit(subscriber);
  }

  message({ state }: Socket<Plain>, data: ArrayBuffer): void {
    if (state === null) return;
    const [name = '', userId] = Buffer.from(data).toString().split(' ');
    const channel = this.hub.channels.subscription(state.hub.app, name, 2);
    if (!channel.accepted || channel.form !== 'ordinary') throw new Error(name);
    const member = userId === undefined ? null : { userId, userInfoText: '{}' };
    const refused = (why: string): void => this.hub.outlet.sendFrame(state, why);
    void this.hub.joins.join({ subscriber: state, channel, member, codec: state.codec, refused });
  }

  close({ state }: Socket<Plain>, code: number): void {
    if (state !== null) this.hub.closed(state, code);
  }

  get hub(): Hub {
    return this.room.hub;
  }
}

async function scene() {
  const codec = new PlainCodec();
  const room = await openRoom({
    policy: { features: { enable_subscription_count_events: true } },
    beside: (one, adapter) => adapter.socketRoute('/plain', new PlainEdge(one, codec)),
  });
  const first = await room.connect();
  const plain = await Promise.all(
    [1, 2].map(async () => new PlainClient(await RawSocketClient.open(room.port, '/plain'))),
  );
  return { codec, room, first, plain };
}

/** Collects received lines until it or the room ends. */
class PlainClient {
  readonly lines: string[] = [];

  constructor(private readonly raw: RawSocketClient) {
    onTestFinished(() => raw.destroy());
    void this.#read().catch(() => undefined);
  }

  say(text: string): void {
    this.raw.sendText(text);
  }

  async #read(): Promise<void> {
    for (;;) this.lines.push(await this.raw.nextText());
  }
}

const linesOf = ({ lines }: PlainClient): readonly string[] => lines;

describe('a third edge with a codec of its own beside protocol 1', () => {
  it('gets every event once, encoded once for all who get it, and both edges are counted together', async () => {
    const { codec, room, first, plain } = await scene();
    first.subscribe('orders');
    await first.until('pusher_internal:subscription_succeeded');
    for (const client of plain) client.say('orders');
    await eventually(() => plain.every((client) => linesOf(client).includes('in orders')));
    expect(await room.counts()).toEqual({ orders: 3 });
    await eventually(() => plain.every((client) => linesOf(client).includes('#3')));
    for (const text of ['a', 'b']) room.publish('orders', text, { tagsText: '{"n":"1"}' });
    const told = ['news "a" {"n":"1"}', 'news "b" {"n":"1"}'];
    await eventually(() => plain.every((client) => linesOf(client).includes(told[1] ?? '')));
    for (const client of plain)
      expect(linesOf(client).filter((line) => line.startsWith('news'))).toEqual(told);
    expect(codec.asked.filter(({ kind }) => kind === 'message')).toHaveLength(told.length);
    const seen = (await first.news()).filter((line) => line.startsWith('news'));
    expect(seen).toHaveLength(told.length);
  });

  it('sees members of protocol 1 come and go, and is seen by them', async () => {
    const { room, first, plain } = await scene();
    const [one, other] = plain;
    if (one === undefined || other === undefined) throw new Error('nobody');
    one.say('presence-a bo');
    await eventually(() => linesOf(one).includes('in presence-a 1'));
    first.subscribe('presence-a', 'ada');
    await eventually(() => linesOf(one).includes('+ada'));
    other.say('presence-a bo');
    await eventually(() => linesOf(other).includes('in presence-a 2'));
    expect(await room.members('presence-a')).toEqual(['bo', 'ada']);
    first.close();
    await eventually(() => linesOf(one).includes('-ada') && linesOf(other).includes('-ada'));
    expect(linesOf(one).filter((line) => line.startsWith('+'))).toEqual(['+ada']);
  });

  it('says nothing of an event to an app without its subscribers', async () => {
    const { codec, room, first } = await scene();
    first.subscribe('orders');
    await first.until('pusher_internal:subscription_succeeded');
    room.publish('orders', 'a');
    await first.until('news');
    expect(codec.asked).toEqual([]);
  });
});

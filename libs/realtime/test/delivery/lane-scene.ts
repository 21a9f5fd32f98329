import { Channels, type OrdinaryChannel } from '@carillon/channels';
import type { Broker } from '@carillon/broker';
import type { Subscriber } from '../../src/subscriber/subscriber.js';
import { Delivery } from '../../src/delivery/delivery.js';
import { Outlet, type OutletBounds } from '../../src/delivery/outlet.js';
import { ChannelBook } from '../../src/channels/channel-book.js';
import { Hubs } from '../../src/apps/hubs.js';
import type { Frame } from '../../src/codec.js';
import { app, config, message, metrics } from '../samples.js';
import { FakeTopics } from './fake-native.js';
import { LaneClient } from './lane-client.js';

/** Settings of a scene. */
export interface Setup {
  readonly bounds: Omit<OutletBounds, 'compress'>;
  /** Send buffer capacity of the library beyond the bounds. */
  readonly slackBytes: number;
  /** Bytes each client accepts before anything is buffered for it. */
  readonly roomBytes: number;
}

const APP = app();
const CHANNELS = new Channels(config());
const NOBODY_FOLLOWS = { follow() {}, leave() {} };
const NO_BROKER = { subscribe: () => undefined, unsubscribe: () => {} } as unknown as Broker;

/** Outlet that lets each client predict the result of queueing. */
class JudgedOutlet extends Outlet {
  judge: (subscriber: Subscriber, text: string, queue: () => void) => void = (_connection, _text, queue) =>
    queue();

  override queue(subscriber: Subscriber, frame: Frame): void {
    this.judge(subscriber, String(frame), () => super.queue(subscriber, frame));
  }
}

/** The delivery part of the package over fake native sockets. */
export class LaneScene {
  readonly topics = new FakeTopics();
  readonly metrics = metrics();
  readonly hubs = new Hubs(this.metrics);
  readonly outlet: Outlet;
  readonly book: ChannelBook;
  readonly clients: readonly LaneClient[];
  readonly #delivery: Delivery;

  constructor({ bounds, slackBytes, roomBytes }: Setup) {
    const outlet = new JudgedOutlet(
      { ...bounds, compress: false },
      { dropped: (subscriber) => void (this.#client(subscriber).droppedCount += 1) },
    );
    outlet.judge = (subscriber, text, queue) => this.#client(subscriber).judge(text, queue);
    this.outlet = outlet;
    const publish = (topic: string, frame: Frame): void => this.topics.publish(topic, String(frame));
    const noMeta = { begin: () => undefined, end: () => {} };
    this.book = new ChannelBook(
      this.hubs,
      NO_BROKER,
      { outlet, publish, appends: null },
      NOBODY_FOLLOWS,
      noMeta,
      true,
    );
    this.#delivery = new Delivery(this.hubs, outlet, { covered: () => null, pacing: () => null });
    const keptBytes = bounds.maxBytes + slackBytes;
    this.clients = ['1.1', '2.2'].map((id) => new LaneClient(this, APP, { id, keptBytes, roomBytes }));
  }

  /** Number of frames counted as sent by the metrics. */
  get sentCount(): number {
    return this.metrics.counter('ws_messages_sent_total').for({ app_id: APP.id }).value;
  }

  about(name: string): OrdinaryChannel {
    const channel = CHANNELS.subscription(APP, name, 1);
    if (!channel.accepted || channel.form !== 'ordinary') throw new Error(name);
    return channel;
  }

  /** Publishes to all clients but one. */
  publish(channel: string, frameText: string, except: LaneClient | undefined): void {
    for (const client of this.clients) if (client !== except) client.expectEvent(channel, frameText);
    this.#delivery.deliver({
      appId: APP.id,
      channel,
      fact: message({ channel, event: frameText }),
      exceptSocketId: except?.subscriber.id ?? null,
      publishedAtMs: 0,
    });
  }

  /** End of a turn of the loop: writes the pending publications. */
  turn(): void {
    for (const { native } of this.clients) native.flush();
  }

  #client(subscriber: Subscriber): LaneClient {
    const client = this.clients.find((one) => one.subscriber === subscriber);
    if (client === undefined) throw new Error(subscriber.id);
    return client;
  }
}

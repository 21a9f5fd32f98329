import {
  BROADCAST,
  type Broadcast,
  type FabricNames,
  type FanOutRecord,
  type FanOutRecordBody,
  RECORD,
} from '@carillon/contract';
import { traced } from '@carillon/tracing';
import type { LiveEvent } from '../live-event.js';
import { bodyOf, eventOf } from './event-message.js';
import type { Identity } from './identity.js';
import type { Members, Routing } from './members.js';
import type { ClusterMeters } from './meters.js';
import type { Post } from './post.js';
import { Seen } from './seen.js';
import type { Subscriptions } from './subscriptions.js';

export interface TrafficParts {
  readonly routing: Routing;
  readonly identity: Identity;
  readonly names: FabricNames;
  readonly post: Post;
  readonly members: Members;
  readonly subscriptions: Subscriptions;
  readonly meters: ClusterMeters;
  readonly deliver: (event: LiveEvent) => void;
  readonly deliverRecord: (record: FanOutRecordBody) => void;
}

/** Events of channels, from here to others and from others to here. */
export class Traffic {
  /** Channels somebody here wants, by app, with their addresses. */
  readonly #wanted = new Map<string, Map<string, string>>();
  readonly #seen = new Seen();

  constructor(private readonly parts: TrafficParts) {}

  subscribe(appId: string, channel: string): Promise<void> | undefined {
    const { names, routing, subscriptions } = this.parts;
    const address = names.channel(appId, channel);
    const channels = this.#wanted.get(appId) ?? new Map<string, string>();
    this.#wanted.set(appId, channels.set(channel, address));
    return subscriptions.hold(routing === 'broadcast' ? names.broadcast : address);
  }

  unsubscribe(appId: string, channel: string): void {
    const channels = this.#wanted.get(appId);
    const address = channels?.get(channel);
    if (channels === undefined || address === undefined) return;
    channels.delete(channel);
    if (channels.size === 0) this.#wanted.delete(appId);
    if (this.parts.routing !== 'broadcast') this.parts.subscriptions.release(address);
  }

  /** Hands an event to the other nodes. */
  publish(event: LiveEvent): Promise<void> {
    const { post, identity, meters } = this.parts;
    meters.published();
    return traced(
      () => ({ name: 'broadcast', kind: 'producer', attributes: { app_id: event.appId } }),
      () =>
        post.send(
          BROADCAST,
          bodyOf(event, identity.nodeId),
          this.#addresses(event),
          `${event.appId}/${event.channel}`,
        ),
    );
  }

  /** @returns what is wrong with a message that another node sent; null: nothing */
  receive(address: string, message: Broadcast): string | null {
    const { names, meters, deliver } = this.parts;
    const wanted = this.#wanted.get(message.app_id)?.get(message.channel);
    const isShared = address === names.broadcast;
    if (!isShared && address !== (wanted ?? names.channel(message.app_id, message.channel))) {
      return 'channel: is not that of the address';
    }
    meters.received();
    if (wanted === undefined) {
      meters.unneeded();
      return null;
    }
    if (this.#isCopy(message)) return null;
    const event = eventOf(message);
    if (event === null) return 'message: is none';
    traced(
      () => ({
        name: 'deliver',
        kind: 'consumer',
        parent: message.trace,
        attributes: { app_id: event.appId },
      }),
      () => deliver(event),
    );
    return null;
  }

  /** What is unique for a while is delivered once by whoever delivers it, and is no copy of what came before that. */
  #isCopy({ app_id: appId, message_id: messageId, unique_for_ms: uniqueForMs }: Broadcast): boolean {
    return uniqueForMs === undefined && this.#seen.isCopy(appId, messageId);
  }

  /** Hands a committed record to the other nodes. */
  publishRecord(record: FanOutRecordBody): Promise<void> {
    const { post, meters } = this.parts;
    const { app_id: appId, channel } = record;
    meters.published();
    return post.send(RECORD, record, this.#addresses({ appId, channel }), `${appId}/${channel}`);
  }

  /** @returns what is wrong with a record that a writer sent; null: nothing. Copies are known by their serials. */
  receiveRecord(address: string, record: FanOutRecord): string | null {
    const { names, meters, deliverRecord } = this.parts;
    const wanted = this.#wanted.get(record.app_id)?.get(record.channel);
    if (address !== names.broadcast && address !== names.channel(record.app_id, record.channel))
      return 'channel: is not that of the address';
    meters.received();
    if (wanted === undefined) meters.unneeded();
    else deliverRecord(record);
    return null;
  }

  #addresses({ appId, channel }: Pick<LiveEvent, 'appId' | 'channel'>): readonly string[] {
    const { routing, names, members } = this.parts;
    if (routing === 'broadcast') return [names.broadcast];
    const own = names.channel(appId, channel);
    return routing === 'dual' || members.someBroadcast ? [own, names.broadcast] : [own];
  }
}

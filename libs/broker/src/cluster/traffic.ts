import {
  BROADCAST,
  type Broadcast,
  type BrokerNames,
  type FanOutRecord,
  type FanOutRecordBody,
  RECORD,
} from '@carillon/contracts';
import { traced } from '@carillon/tracing';
import type { LiveEvent } from '../live-event.js';
import { bodyOf, eventOf } from './event-message.js';
import type { Identity } from './identity.js';
import type { Members, Routing } from './members.js';
import type { ClusterMeters } from './meters.js';
import type { MessageSender } from './message-sender.js';
import { Seen } from './seen.js';
import type { Subscriptions } from './subscriptions.js';

export interface TrafficParts {
  readonly routing: Routing;
  readonly identity: Identity;
  readonly names: BrokerNames;
  readonly post: MessageSender;
  readonly members: Members;
  readonly subscriptions: Subscriptions;
  readonly meters: ClusterMeters;
  /** Whether the broker sends all channels of an app under one address. */
  readonly hasPatterns: () => boolean;
  /** Has the others send everything under the shared address, which is heard anyway; settles when they know. */
  readonly hearShared: () => Promise<void>;
  readonly deliver: (event: LiveEvent, nodeId: string) => void;
  readonly deliverRecord: (record: FanOutRecordBody) => void;
}

/** Events of channels, from here to others and from others to here. */
export class Traffic {
  /** Locally subscribed channels by app, with their addresses. */
  readonly #wanted = new Map<string, Map<string, string>>();
  /** Apps of which every channel is wanted. */
  readonly #whole = new Set<string>();
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

  subscribeAll(appId: string): Promise<void> | undefined {
    const { names, subscriptions, hasPatterns, hearShared } = this.parts;
    this.#whole.add(appId);
    if (!this.#hearsShared && !hasPatterns()) return hearShared();
    return subscriptions.hold(this.#hearsShared ? names.broadcast : names.allChannels(appId));
  }

  unsubscribeAll(appId: string): void {
    const { names, subscriptions } = this.parts;
    if (this.#whole.delete(appId) && !this.#hearsShared) subscriptions.release(names.allChannels(appId));
  }

  /** Whether a channel, or (null) every channel of an app, is wanted here. */
  wants(appId: string, channel: string | null): boolean {
    return channel === null ? this.#whole.has(appId) : this.#wanted.get(appId)?.has(channel) === true;
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

  /** @returns why the message of another node is invalid; null if it is valid */
  receive(address: string, message: Broadcast): string | null {
    const { meters, deliver } = this.parts;
    if (!this.#isOf(address, message)) return 'channel: is not that of the address';
    meters.received();
    if (!this.#wants(message)) {
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
      () => deliver(event, message.node_id),
    );
    return null;
  }

  /** Whether the message is a duplicate. Messages with `unique_for_ms` are deduplicated by their receiver. */
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

  /** @returns why the record of a writer is invalid; null if it is valid. Duplicates are detected by serial. */
  receiveRecord(address: string, record: FanOutRecord): string | null {
    const { meters, deliverRecord } = this.parts;
    if (!this.#isOf(address, record)) return 'channel: is not that of the address';
    meters.received();
    if (!this.#wants(record)) meters.unneeded();
    else deliverRecord(record);
    return null;
  }

  /** Whether a message that arrived under an address may belong to its channel. */
  #isOf(address: string, { app_id: appId, channel }: Pick<Broadcast, 'app_id' | 'channel'>): boolean {
    const { names } = this.parts;
    if (address === names.broadcast) return true;
    const own = this.#wanted.get(appId)?.get(channel) ?? names.channel(appId, channel);
    return address === own || (this.#whole.has(appId) && address === names.allChannels(appId));
  }

  #wants({ app_id: appId, channel }: Pick<Broadcast, 'app_id' | 'channel'>): boolean {
    return this.#whole.has(appId) || this.#wanted.get(appId)?.has(channel) === true;
  }

  get #hearsShared(): boolean {
    return this.parts.routing === 'broadcast';
  }

  #addresses({ appId, channel }: Pick<LiveEvent, 'appId' | 'channel'>): readonly string[] {
    const { routing, names, members } = this.parts;
    if (routing === 'broadcast') return [names.broadcast];
    const own = names.channel(appId, channel);
    return routing === 'dual' || members.someBroadcast ? [own, names.broadcast] : [own];
  }
}

import type { BrokerNames } from '@carillon/contracts';
import {
  endOf,
  type IggyClient,
  IggyPoller,
  IggySender,
  type IggySettings,
  MessageTooLarge,
  type PartitionAddress,
  type PolledMessage,
  storedOffset,
} from '@carillon/iggy';
import { setTimeout as pause } from 'node:timers/promises';
import { SessionLost, type Session, type SessionListener } from '../../cluster/wire.js';
import { IggyLanes, type LaneTopics } from './iggy-lanes.js';

export interface IggySessionParts {
  readonly client: IggyClient;
  readonly settings: IggySettings;
  readonly names: BrokerNames;
  readonly laneTopics: LaneTopics;
  readonly listener: SessionListener;
}

/**
 * Requests to Iggy. An address is a topic, of which one partition is used; to subscribe is to poll it from where it ends,
 * or from the stored offset of the consumer. A request that no server answers ends the session.
 */
export class IggySession implements Session {
  readonly lanes: IggyLanes;
  readonly #senders = new Map<string, IggySender>();
  readonly #pollers = new Map<string, Promise<IggyPoller>>();
  readonly #heard = new Set<string>();
  #isOver = false;

  constructor(private readonly parts: IggySessionParts) {
    const { names, laneTopics } = parts;
    this.lanes = new IggyLanes({
      topics: laneTopics,
      responses: names.responses,
      send: (topic, text, lane) => this.#send(this.#address(topic, lane), text),
      hear: () => this.#poll(names.responses),
      poll: (topic, lane, onMessages) => this.#startAtEnd(this.#address(topic, lane), onMessages),
      isOver: () => this.#isOver,
    });
  }

  publish(address: string, text: string): Promise<void> {
    return this.#send(this.#address(address), text);
  }

  async subscribe(addresses: readonly string[]): Promise<readonly string[]> {
    const { broadcast, requests, responses, writers } = this.parts.names;
    const known = new Set([broadcast, requests, responses, writers]);
    const wanted = addresses.filter((address) => known.has(address));
    for (const address of wanted) this.#heard.add(address);
    await Promise.all(wanted.map((address) => this.#poll(address)));
    return addresses.filter((address) => !known.has(address));
  }

  async unsubscribe(addresses: readonly string[]): Promise<void> {
    if (this.#isOver) throw new SessionLost();
    for (const address of addresses) {
      this.#heard.delete(address);
      // Answers to lanes come on the same topic.
      if (address === this.parts.names.responses) continue;
      const starting = this.#pollers.get(address);
      this.#pollers.delete(address);
      await (await starting)?.stop();
    }
  }

  async check(): Promise<void> {
    if (this.#isOver) throw new SessionLost();
    await this.parts.client.ping();
  }

  async close(): Promise<void> {
    if (this.#isOver) return;
    const idle = Promise.all([...this.#senders.values()].map((sender) => sender.idle()));
    await Promise.race([idle, pause(this.parts.settings.request_timeout_ms, undefined, { ref: false })]);
    this.#isOver = true;
    await this.#end();
  }

  #address(topic: string, partition = this.parts.settings.partition_id): PartitionAddress {
    return { stream: this.parts.settings.stream, topic, partition };
  }

  async #send(address: PartitionAddress, text: string): Promise<void> {
    if (this.#isOver) throw new SessionLost();
    const key = `${address.topic}/${address.partition}`;
    const sender = this.#senders.get(key) ?? new IggySender({ client: this.parts.client, address });
    this.#senders.set(key, sender);
    try {
      await sender.send(text);
    } catch (error) {
      if (error instanceof MessageTooLarge) throw error;
      throw this.#lose(error);
    }
  }

  async #poll(topic: string): Promise<void> {
    if (this.#isOver) throw new SessionLost();
    const starting = this.#pollers.get(topic) ?? this.#start(topic);
    this.#pollers.set(topic, starting);
    await starting;
  }

  async #start(topic: string): Promise<IggyPoller> {
    const address = this.#address(topic);
    const onMessages = (messages: readonly PolledMessage[]) => this.#receive(topic, messages);
    if (this.parts.settings.start_from_latest) return this.#startAtEnd(address, onMessages);
    try {
      const stored = await storedOffset(this.parts.client, address, this.#consumer);
      return this.#poller(address, stored === null ? 0 : stored + 1, onMessages);
    } catch (error) {
      throw this.#lose(error);
    }
  }

  async #startAtEnd(
    address: PartitionAddress,
    onMessages: (messages: readonly PolledMessage[]) => void,
  ): Promise<IggyPoller> {
    try {
      const end = await endOf(this.parts.client, address, this.#consumer);
      return this.#poller(address, end, onMessages);
    } catch (error) {
      throw this.#lose(error);
    }
  }

  #poller(
    address: PartitionAddress,
    start: number,
    onMessages: (messages: readonly PolledMessage[]) => void,
  ): IggyPoller {
    const { client, settings } = this.parts;
    return new IggyPoller({
      client,
      address,
      consumer: this.#consumer,
      start,
      count: settings.poll_batch_size,
      intervalMs: settings.poll_interval_ms,
      autoCommit: true,
      onMessages,
      onFailed: (error) => void this.#lose(error),
    });
  }

  /** Filled in by the configuration. */
  get #consumer(): string {
    return this.parts.settings.consumer_name ?? 'carillon';
  }

  #receive(topic: string, messages: readonly PolledMessage[]): void {
    for (const { payload } of messages) {
      if (this.#isOver) return;
      if (topic === this.parts.names.responses) this.lanes.overheard(payload);
      if (this.#heard.has(topic)) this.parts.listener.message(topic, payload);
    }
  }

  #lose(error: unknown): SessionLost {
    const reason = error instanceof Error ? error.message : 'no server answers';
    if (!this.#isOver) {
      this.#isOver = true;
      void this.#end();
      this.parts.listener.lost(reason);
    }
    return new SessionLost(reason);
  }

  async #end(): Promise<void> {
    this.parts.client.close();
    const pollers = [...this.#pollers.values()].map(async (starting) => (await starting).stop());
    await Promise.allSettled([this.lanes.close(), ...pollers]);
  }
}

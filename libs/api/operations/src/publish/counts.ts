import type { PublishableChannel } from '@carillon/channels';
import type { Broker } from '@carillon/broker';
import type { Presence } from '@carillon/presence';
import type { Logger } from '@carillon/runtime';
import type { Event } from './event.js';
import type { ChannelCounts } from './outcome.js';

/** Whether the channel has members that can be counted. */
export const hasMembers = (channel: PublishableChannel): boolean =>
  channel.form === 'ordinary' && channel.traits.members;

/** Counts over all processes for the answer to a publish. Never rejects: unavailable counts are omitted. */
export class PublishCounts {
  constructor(
    private readonly broker: Broker,
    private readonly presence: Presence,
    private readonly log: Logger,
  ) {}

  async of(appId: string, { channels, info }: Event): Promise<ChannelCounts> {
    const [subscriptions, users] = await Promise.all([
      info.subscriptionCount ? this.#subscriptions(appId, channels) : NONE,
      info.userCount ? this.#users(appId, channels.filter(hasMembers)) : NONE,
    ]);
    return { subscriptions, users };
  }

  async #subscriptions(
    appId: string,
    channels: readonly PublishableChannel[],
  ): Promise<ReadonlyMap<string, number>> {
    const names = channels.map(({ name }) => name);
    const { answer, complete } = await this.broker.ask('batch_channel_sockets_count', appId, {
      channels: names,
    });
    return complete ? new Map(names.map((name) => [name, answer.get(name) ?? 0])) : NONE;
  }

  async #users(appId: string, channels: readonly PublishableChannel[]): Promise<ReadonlyMap<string, number>> {
    if (channels.length === 0) return NONE;
    const names = channels.map(({ name }) => name);
    try {
      const counts = await this.presence.memberCounts(appId, names);
      return new Map(names.map((name, index) => [name, counts[index] ?? 0]));
    } catch (error) {
      this.log.warn('members could not be counted for a publish', { app_id: appId, error });
      return NONE;
    }
  }
}

const NONE: ReadonlyMap<string, number> = new Map();

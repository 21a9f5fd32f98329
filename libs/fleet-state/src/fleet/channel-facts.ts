import type { App } from '@carillon/app-registry';
import {
  type ChannelPattern,
  type Channels,
  CHANNEL_KINDS,
  kindOf,
  serverToUserId,
  type SubscribableChannel,
} from '@carillon/channels';
import type { LastEvents } from '@carillon/history-publish';

/** Last event of a cache channel. */
export interface CacheFacts {
  /** JSON text of `{"event","channel","data"}`. */
  readonly data: string;
  /** Seconds until it expires. */
  readonly ttl: number;
}

/** What follows from the name of a channel, its policy and its cache. */
export interface ChannelFacts {
  readonly type: string;
  readonly has_members: boolean;
  readonly durable: boolean;
  /** Absent: no cache channel, or no event is cached. */
  readonly cache?: CacheFacts;
}

/** Reads facts of channels that no gateway needs to be asked for. */
export class ChannelFactsReader {
  constructor(
    private readonly channels: Channels,
    private readonly lastEvents: Pick<LastEvents, 'read'>,
    private readonly takesForeignNames: boolean,
  ) {}

  /** Null if the name is invalid. Rejects if the cache is unavailable. */
  async read(app: App, name: string): Promise<ChannelFacts | null> {
    const channel = this.#channel(app, name);
    if (channel === null) return null;
    const isOrdinary = channel.form === 'ordinary';
    const isToUser = channel.form === 'server_to_user' || serverToUserId(name) !== null;
    return {
      type: isToUser ? 'server_to_user' : isOrdinary ? kindOf(name) : 'meta',
      has_members: isOrdinary && CHANNEL_KINDS[kindOf(name)].members,
      durable: channel.policy.history.enabled,
      ...(isOrdinary && channel.traits.keepsLastEvent ? await this.#cache(app.id, name) : {}),
    };
  }

  #channel(app: App, name: string): Exclude<SubscribableChannel, ChannelPattern> | null {
    const channel = this.channels.subscription(app, name, 2);
    if (channel.accepted) return channel.form === 'pattern' ? null : channel;
    const isForeign = this.takesForeignNames && !name.startsWith('#');
    return isForeign ? this.channels.foreign(app, name) : null;
  }

  async #cache(appId: string, name: string): Promise<{ readonly cache?: CacheFacts }> {
    const last = await this.lastEvents.read(appId, name);
    if (last === null) return {};
    const head = `"event":${JSON.stringify(last.event)},"channel":${JSON.stringify(last.channel)}`;
    const data = `{${head},"data":${last.dataText}}`;
    return { cache: { data, ttl: Math.ceil(last.ttlMs / 1000) } };
  }
}

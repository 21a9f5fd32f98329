import type { App } from '@carillon/app-registry';
import type { AiChannels } from '@carillon/history-ai';
import type { MessageReader } from '@carillon/history-reader';
import type { Channels, PublishableChannel } from '@carillon/channels';
import { ServiceError } from '@carillon/errors';
import type { Broker } from '@carillon/broker';
import type { Presence } from '@carillon/presence';
import type { LastEvent, LastEvents } from '@carillon/history-publish';
import { describe } from '../describe/description.js';
import { infoOption, infoTokens } from '../describe/info.js';
import { always, count, flag, object, orNull, text, type ValueOf } from '../describe/shape.js';
import type { Work } from '../operation.js';
import { hasMembers } from '../publish/counts.js';
import { orUnavailable } from '../unavailable.js';
import { namedChannel } from './named-channel.js';

export interface ChannelStateParts {
  readonly channels: Channels;
  readonly broker: Broker;
  readonly presence: Presence;
  readonly lastEvents: LastEvents;
  readonly ai: AiChannels;
  /** Null: this process has no way to them. */
  readonly messages: Pick<MessageReader, 'streams'> | null;
}

const STREAMS = object({
  active_streams: count('Streams that go on.'),
  last_history_serial: orNull(count('Of what was published last; null: nothing was.')),
  message_count: count('Messages that are kept.'),
});

const CACHED = object({
  data: text('JSON text of `{"event","channel","data"}`.'),
  ttl: count('Seconds it is still kept.'),
});

export const CHANNEL_STATE = describe({
  area: 'state',
  summary: 'State of one channel',
  description: 'A channel that was never used is an unoccupied one.',
  rate: 'read',
  subjects: ['channel'],
  options: [infoOption('subscription_count', 'user_count', 'cache')],
  result: object(
    { occupied: flag('At least one socket is subscribed.') },
    {
      subscription_count: count('Sockets.'),
      user_count: count('Distinct users.'),
      cache: CACHED,
      ai: STREAMS,
      subscription_count_complete: always(false, 'Some process did not answer in time.'),
    },
  ),
  mark: 'partial',
});

/** A channel that was never used is an unoccupied one. */
export const channelState =
  (parts: ChannelStateParts): Work<typeof CHANNEL_STATE> =>
  async (caller, { channel: name, info: asked }) => {
    const { app } = caller;
    const channel = namedChannel(caller, 'channel-metadata', name, parts.channels);
    const info = infoTokens(asked);
    const wantsUsers = info.has('user_count');
    if (wantsUsers && !hasMembers(channel)) {
      throw new ServiceError('invalid_input', { text: 'info user_count needs a presence channel' });
    }
    const [{ answer, complete }, users, last, streams] = await Promise.all([
      parts.broker.ask('batch_channel_sockets_count', app.id, { channels: [channel.name] }),
      wantsUsers ? userCount(parts, app, channel) : 0,
      info.has('cache') ? lastEvent(parts, app, channel) : null,
      parts.ai.has(channel.name) && parts.messages !== null
        ? parts.messages.streams(app.id, channel.name)
        : null,
    ]);
    const subscriptions = answer.get(channel.name) ?? 0;
    const occupied = subscriptions > 0;
    const value = {
      occupied,
      ...(info.has('subscription_count') ? { subscription_count: subscriptions } : {}),
      // A member may outlive its socket for a while; an unoccupied channel has none all the same.
      ...(wantsUsers ? { user_count: occupied || !complete ? users : 0 } : {}),
      ...(last === null ? {} : { cache: cacheOf(last) }),
      ...(streams === null
        ? {}
        : {
            ai: {
              active_streams: streams.open,
              last_history_serial: streams.lastHistorySerial,
              message_count: streams.messages,
            },
          }),
    };
    return complete
      ? { value }
      : { value: { ...value, subscription_count_complete: false }, mark: 'partial' };
  };

async function userCount(
  { presence }: ChannelStateParts,
  { id }: App,
  { name }: PublishableChannel,
): Promise<number> {
  const [members = 0] = await orUnavailable('presence unavailable', presence.memberCounts(id, [name]));
  return members;
}

async function lastEvent(
  { lastEvents }: ChannelStateParts,
  { id }: App,
  channel: PublishableChannel,
): Promise<LastEvent | null> {
  if (channel.form !== 'ordinary' || !channel.traits.keepsLastEvent) return null;
  return orUnavailable('cache unavailable', lastEvents.read(id, channel.name));
}

/** The payload goes in as it was delivered. */
function cacheOf({ event, channel, dataText, ttlMs }: LastEvent): ValueOf<typeof CACHED> {
  const head = `"event":${JSON.stringify(event)},"channel":${JSON.stringify(channel)}`;
  return { data: `{${head},"data":${dataText}}`, ttl: Math.ceil(ttlMs / 1000) };
}

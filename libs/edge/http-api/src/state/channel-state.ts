import type { App } from '@carillon/app-registry';
import type { Channels, PublishableChannel } from '@carillon/channels';
import { ServiceError } from '@carillon/errors';
import type { Fabric } from '@carillon/fabric';
import type { Presence } from '@carillon/presence';
import type { LastEvent, LastEvents } from '@carillon/publishing';
import type { Route } from '../describe/route.js';
import { always, count, flag, object, text, type ValueOf } from '../describe/shape.js';
import type { Call, Endpoint, Reply } from '../pipeline/call.js';
import { hasMembers } from '../publish/counts.js';
import { infoParameter, infoTokens } from '../info.js';
import { orUnavailable } from '../unavailable.js';
import { namedChannel } from './named-channel.js';
import { PARTIAL_HEADER, stateReply } from './partial.js';

export interface ChannelStateParts {
  readonly channels: Channels;
  readonly fabric: Fabric;
  readonly presence: Presence;
  readonly lastEvents: LastEvents;
}

const INFO = infoParameter('subscription_count', 'user_count', 'cache');

const CACHED = object({
  data: text('JSON text of `{"event","channel","data"}`.'),
  ttl: count('Seconds it is still kept.'),
});

const REPLY = object(
  { occupied: flag('At least one socket is subscribed.') },
  {
    subscription_count: count('Sockets.'),
    user_count: count('Distinct users.'),
    cache: CACHED,
    subscription_count_complete: always(false, 'Some process did not answer in time.'),
  },
);

export const CHANNEL_STATE: Route = {
  method: 'GET',
  path: '/channels/:channelName',
  tag: 'state',
  summary: 'State of one channel',
  description: 'A channel that was never used is an unoccupied one.',
  rate: 'read',
  parameters: [INFO],
  reply: REPLY,
  replyHeaders: PARTIAL_HEADER,
};

/** `GET /apps/{appId}/channels/{channelName}`. A channel that was never used is an unoccupied one. */
export class ChannelStateEndpoint implements Endpoint {
  constructor(private readonly parts: ChannelStateParts) {}

  async answer(call: Call): Promise<Reply> {
    const { app } = call;
    const channel = namedChannel(call, this.parts.channels);
    const info = infoTokens(call.parameter(INFO));
    const wantsUsers = info.has('user_count');
    if (wantsUsers && !hasMembers(channel)) {
      throw new ServiceError('invalid_input', { text: 'info user_count needs a presence channel' });
    }
    const [{ answer, complete }, users, last] = await Promise.all([
      this.parts.fabric.ask('batch_channel_sockets_count', app.id, { channels: [channel.name] }),
      wantsUsers ? this.#userCount(app, channel) : 0,
      info.has('cache') ? this.#lastEvent(app, channel) : null,
    ]);
    const subscriptions = answer.get(channel.name) ?? 0;
    const occupied = subscriptions > 0;
    const body: ValueOf<typeof REPLY> = {
      occupied,
      ...(info.has('subscription_count') ? { subscription_count: subscriptions } : {}),
      // A member may outlive its socket for a while; an unoccupied channel has none all the same.
      ...(wantsUsers ? { user_count: occupied || !complete ? users : 0 } : {}),
      ...(last === null ? {} : { cache: cacheOf(last) }),
      ...(complete ? {} : { subscription_count_complete: false }),
    };
    return stateReply(body, complete);
  }

  async #userCount({ id }: App, { name }: PublishableChannel): Promise<number> {
    const [count = 0] = await orUnavailable(
      'presence unavailable',
      this.parts.presence.memberCounts(id, [name]),
    );
    return count;
  }

  async #lastEvent({ id }: App, channel: PublishableChannel): Promise<LastEvent | null> {
    if (channel.form !== 'ordinary' || !channel.traits.keepsLastEvent) return null;
    return orUnavailable('cache unavailable', this.parts.lastEvents.read(id, channel.name));
  }
}

/** The payload goes in as it was delivered. */
function cacheOf({ event, channel, dataText, ttlMs }: LastEvent): ValueOf<typeof CACHED> {
  const head = `"event":${JSON.stringify(event)},"channel":${JSON.stringify(channel)}`;
  return { data: `{${head},"data":${dataText}}`, ttl: Math.ceil(ttlMs / 1000) };
}

import type { Channels } from '@carillon/channels';
import { ServiceError } from '@carillon/errors';
import type { Presence } from '@carillon/presence';
import type { Route } from '../describe/route.js';
import { listOf, object, text, type ValueOf } from '../describe/shape.js';
import type { Call, Endpoint, Reply } from '../pipeline/call.js';
import { hasMembers } from '../publish/counts.js';
import { orUnavailable } from '../unavailable.js';
import { namedChannel } from './named-channel.js';

const REPLY = object({
  users: listOf(object({ id: text('Id of the user.') }), 'Each user once, in no order.'),
});

export const CHANNEL_USERS: Route = {
  method: 'GET',
  path: '/channels/:channelName/users',
  tag: 'state',
  summary: 'Members of a presence channel',
  description: 'Users of a channel whose name begins with `presence-`; others are refused.',
  rate: 'read',
  reply: REPLY,
};

/** `GET /apps/{appId}/channels/{channelName}/users`: each member once. */
export class ChannelUsersEndpoint implements Endpoint {
  constructor(
    private readonly channels: Channels,
    private readonly presence: Presence,
  ) {}

  async answer(call: Call): Promise<Reply> {
    const channel = namedChannel(call, this.channels);
    if (!hasMembers(channel)) {
      throw new ServiceError('invalid_input', { text: 'users are known of presence channels only' });
    }
    const place = { appId: call.app.id, channel: channel.name };
    const members = await orUnavailable('presence unavailable', this.presence.members(place));
    const body: ValueOf<typeof REPLY> = { users: members.map(({ userId }) => ({ id: userId })) };
    return { text: JSON.stringify(body) };
  }
}

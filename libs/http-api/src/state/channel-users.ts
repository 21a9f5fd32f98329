import type { Channels } from '@carillon/channels';
import { ServiceError } from '@carillon/errors';
import type { Presence } from '@carillon/presence';
import type { Call, Endpoint, Reply } from '../pipeline/call.js';
import { hasMembers } from '../publish/counts.js';
import { orUnavailable } from '../unavailable.js';
import { namedChannel } from './named-channel.js';

/** `GET /apps/{appId}/channels/{channelName}/users`: each member once. */
export class ChannelUsersEndpoint implements Endpoint {
  readonly rate = 'read';

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
    return { text: JSON.stringify({ users: members.map(({ userId }) => ({ id: userId })) }) };
  }
}

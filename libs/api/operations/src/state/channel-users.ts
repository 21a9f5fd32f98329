import type { Channels } from '@carillon/channels';
import { ServiceError } from '@carillon/errors';
import type { Presence } from '@carillon/presence';
import { describe } from '../describe/description.js';
import { listOf, object, text } from '../describe/shape.js';
import type { Work } from '../operation.js';
import { hasMembers } from '../publish/counts.js';
import { orUnavailable } from '../unavailable.js';
import { namedChannel } from './named-channel.js';

export const CHANNEL_USERS = describe({
  area: 'state',
  summary: 'Members of a presence channel',
  description: 'Users of a channel whose name begins with `presence-`; others are refused.',
  rate: 'read',
  subjects: ['channel'],
  result: object({
    users: listOf(object({ id: text('Id of the user.') }), 'Each user once, in no order.'),
  }),
});

export const channelUsers =
  (channels: Channels, presence: Presence): Work<typeof CHANNEL_USERS> =>
  async (caller, { channel: name }) => {
    const channel = namedChannel(caller, 'presence', name, channels);
    if (!hasMembers(channel)) {
      throw new ServiceError('invalid_input', { text: 'users are known of presence channels only' });
    }
    const place = { appId: caller.app.id, channel: channel.name };
    const members = await orUnavailable('presence unavailable', presence.members(place));
    return { value: { users: members.map(({ userId }) => ({ id: userId })) } };
  };

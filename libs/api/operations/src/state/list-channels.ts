import { CHANNEL_KINDS } from '@carillon/channels';
import { ServiceError } from '@carillon/errors';
import type { Broker, Gathered } from '@carillon/broker';
import type { Presence } from '@carillon/presence';
import { describe } from '../describe/description.js';
import { infoOption, infoTokens } from '../describe/info.js';
import { textOption } from '../describe/option.js';
import { always, count, mapOf, object, type ValueOf } from '../describe/shape.js';
import type { Work } from '../operation.js';
import { orUnavailable } from '../unavailable.js';
import { SharedQueries } from './shared-query.js';

type Occupied = Gathered<'channels_with_sockets_count'>;

const CHANNEL = object({}, { user_count: count('Distinct users.'), subscription_count: count('Sockets.') });

export const LIST_CHANNELS = describe({
  area: 'state',
  summary: 'List occupied channels',
  description: 'Channels with at least one subscribed socket, over all processes.',
  rate: 'read',
  options: [
    textOption(
      'filter_by_prefix',
      'Only channels whose names begin so. `user_count` needs one that begins with `presence-`.',
    ),
    infoOption('subscription_count', 'user_count'),
  ],
  result: object(
    { channels: mapOf(CHANNEL, 'What was asked for, by channel.') },
    { complete: always(false, 'Some process did not answer in time: the list is what was gathered.') },
  ),
  mark: 'partial',
});

/** The occupied channels of all processes. */
export function listChannels(broker: Broker, presence: Presence): Work<typeof LIST_CHANNELS> {
  const queries = new SharedQueries<Occupied>();
  return async (caller, { filter_by_prefix: prefix = '', info: asked }) => {
    const { id } = caller.app;
    caller.require('channel-metadata', null);
    const info = infoTokens(asked);
    const wantsUsers = info.has('user_count');
    if (wantsUsers && !prefix.startsWith(CHANNEL_KINDS.presence.prefix)) {
      throw new ServiceError('invalid_input', {
        text: 'info user_count needs a filter_by_prefix that starts with presence-',
      });
    }
    const { answer, complete } = await queries.ask(`${id}/${prefix}`, () =>
      broker.ask('channels_with_sockets_count', id, { prefix }),
    );
    const names = [...answer.keys()];
    const users = wantsUsers
      ? await orUnavailable('presence unavailable', presence.memberCounts(id, names))
      : null;
    const channels = names.map((name, index): [string, ValueOf<typeof CHANNEL>] => [
      name,
      {
        ...(users === null ? {} : { user_count: users[index] ?? 0 }),
        ...(info.has('subscription_count') ? { subscription_count: answer.get(name) ?? 0 } : {}),
      },
    ]);
    const value = { channels: Object.fromEntries(channels) };
    return complete ? { value } : { value: { ...value, complete: false }, mark: 'partial' };
  };
}

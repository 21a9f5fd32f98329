import { CHANNEL_KINDS } from '@carillon/channels';
import { ServiceError } from '@carillon/errors';
import type { Fabric, Gathered } from '@carillon/fabric';
import type { Presence } from '@carillon/presence';
import { queryText } from '../describe/parameter.js';
import type { Route } from '../describe/route.js';
import { always, count, mapOf, object, type ValueOf } from '../describe/shape.js';
import type { Call, Endpoint, Reply } from '../pipeline/call.js';
import { infoParameter, infoTokens } from '../info.js';
import { orUnavailable } from '../unavailable.js';
import { PARTIAL_HEADER, stateReply } from './partial.js';
import { SharedQueries } from './shared-query.js';

type Occupied = Gathered<'channels_with_sockets_count'>;

const PREFIX = queryText(
  'filter_by_prefix',
  'Only channels whose names begin so. `user_count` needs one that begins with `presence-`.',
);
const INFO = infoParameter('subscription_count', 'user_count');

const CHANNEL = object({}, { user_count: count('Distinct users.'), subscription_count: count('Sockets.') });

const REPLY = object(
  { channels: mapOf(CHANNEL, 'What was asked for, by channel.') },
  { complete: always(false, 'Some process did not answer in time: the list is what was gathered.') },
);

export const LIST_CHANNELS: Route = {
  method: 'GET',
  path: '/channels',
  tag: 'state',
  summary: 'List occupied channels',
  description: 'Channels with at least one subscribed socket, over all processes.',
  rate: 'read',
  parameters: [PREFIX, INFO],
  reply: REPLY,
  replyHeaders: PARTIAL_HEADER,
};

/** `GET /apps/{appId}/channels`: the occupied channels of all processes. */
export class ListChannelsEndpoint implements Endpoint {
  readonly #queries = new SharedQueries<Occupied>();

  constructor(
    private readonly fabric: Fabric,
    private readonly presence: Presence,
  ) {}

  async answer(call: Call): Promise<Reply> {
    const { app } = call;
    const prefix = call.parameter(PREFIX) ?? '';
    const info = infoTokens(call.parameter(INFO));
    const wantsUsers = info.has('user_count');
    if (wantsUsers && !prefix.startsWith(CHANNEL_KINDS.presence.prefix)) {
      throw new ServiceError('invalid_input', {
        text: 'info user_count needs a filter_by_prefix that starts with presence-',
      });
    }
    const { answer, complete } = await this.#queries.ask(`${app.id}/${prefix}`, () =>
      this.fabric.ask('channels_with_sockets_count', app.id, { prefix }),
    );
    const names = [...answer.keys()];
    const users = wantsUsers ? await this.#userCounts(app.id, names) : null;
    const channels = names.map((name, index): [string, ValueOf<typeof CHANNEL>] => [
      name,
      {
        ...(users === null ? {} : { user_count: users[index] ?? 0 }),
        ...(info.has('subscription_count') ? { subscription_count: answer.get(name) ?? 0 } : {}),
      },
    ]);
    const body: ValueOf<typeof REPLY> = {
      channels: Object.fromEntries(channels),
      ...(complete ? {} : { complete: false }),
    };
    return stateReply(body, complete);
  }

  #userCounts(appId: string, names: readonly string[]): Promise<readonly number[]> {
    return orUnavailable('presence unavailable', this.presence.memberCounts(appId, names));
  }
}

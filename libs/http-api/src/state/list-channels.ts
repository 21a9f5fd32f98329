import { CHANNEL_KINDS } from '@carillon/channels';
import { ServiceError } from '@carillon/errors';
import type { Fabric, Gathered } from '@carillon/fabric';
import type { Presence } from '@carillon/presence';
import type { Call, Endpoint, Reply } from '../pipeline/call.js';
import { infoTokens } from '../publish/read-event.js';
import { orUnavailable } from '../unavailable.js';
import { stateReply } from './partial.js';
import { SharedQueries } from './shared-query.js';

type Occupied = Gathered<'channels_with_sockets_count'>;

/** `GET /apps/{appId}/channels`: the occupied channels of all processes. */
export class ListChannelsEndpoint implements Endpoint {
  readonly rate = 'read';
  readonly #queries = new SharedQueries<Occupied>();

  constructor(
    private readonly fabric: Fabric,
    private readonly presence: Presence,
  ) {}

  async answer({ app, parameters }: Call): Promise<Reply> {
    const prefix = parameters.get('filter_by_prefix') ?? '';
    const info = infoTokens(parameters.get('info') ?? '');
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
    const channels = names.map((name, index): [string, object] => [
      name,
      {
        ...(users === null ? {} : { user_count: users[index] ?? 0 }),
        ...(info.has('subscription_count') ? { subscription_count: answer.get(name) ?? 0 } : {}),
      },
    ]);
    const body = { channels: Object.fromEntries(channels), ...(complete ? {} : { complete: false }) };
    return stateReply(body, complete);
  }

  #userCounts(appId: string, names: readonly string[]): Promise<readonly number[]> {
    return orUnavailable('presence unavailable', this.presence.memberCounts(appId, names));
  }
}

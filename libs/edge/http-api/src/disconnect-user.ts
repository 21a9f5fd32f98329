import { ServiceError } from '@carillon/errors';
import type { Fabric } from '@carillon/fabric';
import { isUserId, MAX_USER_ID_BYTES } from '@carillon/protocol';
import type { Route } from './describe/route.js';
import { OK, OK_SHAPE, type Call, type Endpoint, type Reply } from './pipeline/call.js';

const described = (kind: string, summary: string, description: string): Route => ({
  method: 'POST',
  path: `/users/:userId/${kind}`,
  tag: 'users',
  summary,
  description: `${description} They are those of this signed-in user or capability token client, on every process. A body is ignored but for its \`body_md5\`.`,
  rate: null,
  reply: OK_SHAPE,
});

export const TERMINATE_CONNECTIONS = described(
  'terminate_connections',
  'End the connections of a user',
  'Closes them with 4009, after which clients do not reconnect by themselves. The user is not banned.',
);

export const FORCE_RECONNECT = described(
  'force_reconnect',
  'Make a user reconnect',
  'Closes the connections of a user with 4200, after which clients reconnect at once.',
);

/**
 * `POST /apps/{appId}/users/{userId}/terminate_connections` and `…/force_reconnect`. That nobody was connected is no
 * failure; that some process did not confirm is one that is worth
 * a retry, because its sockets may still be there.
 */
export class DisconnectUserEndpoint implements Endpoint {
  constructor(
    private readonly fabric: Fabric,
    private readonly kind: 'terminate_user' | 'force_reconnect',
  ) {}

  async answer(call: Call): Promise<Reply> {
    const userId = call.pathParameter('userId');
    if (!isUserId(userId)) {
      throw new ServiceError('invalid_input', { text: `a user id has 1 to ${MAX_USER_ID_BYTES} bytes` });
    }
    const { complete } = await this.fabric.ask(this.kind, call.app.id, { userId });
    if (complete) return OK;
    throw new ServiceError('service_unavailable', { text: 'Not every process has confirmed it, retry' });
  }
}

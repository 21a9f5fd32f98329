import { ServiceError } from '@carillon/errors';
import type { Broker } from '@carillon/broker';
import { isUserId, MAX_USER_ID_BYTES } from '@carillon/protocol';
import { describe } from '../describe/description.js';
import { OK, OK_SHAPE } from '../describe/shape.js';
import type { Work } from '../operation.js';

const described = (summary: string, description: string) =>
  describe({
    area: 'users',
    summary,
    description: `${description} They are those of this signed-in user or capability token client, on every process. A body is ignored but for its \`body_md5\`.`,
    rate: null,
    subjects: ['user_id'],
    result: OK_SHAPE,
  });

export const TERMINATE_CONNECTIONS = described(
  'End the connections of a user',
  'Closes them with 4009, after which clients do not reconnect by themselves. The user is not banned.',
);

export const FORCE_RECONNECT = described(
  'Make a user reconnect',
  'Closes the connections of a user with 4200, after which clients reconnect at once.',
);

/**
 * Closes the connections of a user. No connections is a success; a missing confirmation of some process is a
 * retryable failure, because its sockets may still be open.
 */
export const disconnectUser =
  (broker: Broker, kind: 'terminate_user' | 'force_reconnect'): Work<typeof TERMINATE_CONNECTIONS> =>
  async (caller, { user_id: userId }) => {
    caller.require('admin', null);
    if (!isUserId(userId)) {
      throw new ServiceError('invalid_input', { text: `a user id has 1 to ${MAX_USER_ID_BYTES} bytes` });
    }
    const { complete } = await broker.ask(kind, caller.app.id, { userId });
    if (complete) return OK;
    throw new ServiceError('service_unavailable', { text: 'Not every process has confirmed it, retry' });
  };

import { ServiceError } from '@carillon/errors';
import type { Fabric } from '@carillon/fabric';
import { OK, type Call, type Endpoint, type Reply } from './pipeline/call.js';

/**
 * `POST /apps/{appId}/users/{userId}/terminate_connections` and `…/force_reconnect`. That nobody was connected is no
 * failure; that some process did not confirm is one, because its sockets may still be there.
 */
export class DisconnectUserEndpoint implements Endpoint {
  readonly rate = null;

  constructor(
    private readonly fabric: Fabric,
    private readonly kind: 'terminate_user' | 'force_reconnect',
  ) {}

  async answer(call: Call): Promise<Reply> {
    const userId = call.pathParameter('userId');
    const { complete } = await this.fabric.ask(this.kind, call.app.id, { userId });
    if (complete) return OK;
    throw new ServiceError('internal_error', {
      cause: new Error(`${this.kind}: not every process answered`),
    });
  }
}

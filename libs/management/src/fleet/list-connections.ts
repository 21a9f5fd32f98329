import { addressFilter, type ConnectionFilter } from '@carillon/fleet-state';
import type { Call } from '../http/call.js';
import { invalidField } from '../http/fields.js';
import { Cursors, pageBody, type PageQuery } from '../http/paging.js';
import { ok, type Reply } from '../http/reply.js';
import type { ManagementParts } from '../parts.js';
import { canSee } from '../auth/principals.js';
import { deadlineOf, type DeadlineQuery, isConnectionsPosition, positionOf } from './common.js';

export interface ConnectionsQuery extends PageQuery, DeadlineQuery {
  readonly app_id?: string;
  readonly user_id?: string;
  readonly channel?: string;
  readonly address?: string;
  readonly protocol?: 'ably' | 'v1' | 'v2';
  readonly node_id?: string;
}

export async function listConnections(call: Call<ConnectionsQuery>, parts: ManagementParts): Promise<Reply> {
  const { limit, cursor, deadline_ms: _deadline, ...filters } = call.query;
  const cursors = new Cursors('connections', filters);
  const after = positionOf(cursors.read(cursor), isConnectionsPosition);
  const filter = filterOf(call);
  const page = await parts.fleet.state.connections(filter, { limit, after, ...deadlineOf(call, parts) });
  const { items, next, ...rest } = page;
  return ok({ ...pageBody(items, next, cursors), ...rest });
}

function filterOf({ query, principal }: Call<ConnectionsQuery>): ConnectionFilter {
  const { app_id, user_id, channel, address, protocol, node_id } = query;
  if (channel !== undefined && app_id === undefined) throw invalidField('channel', 'needs app_id');
  if (address !== undefined && addressFilter(address) === null)
    throw invalidField('address', 'must be an address or a CIDR range');
  const visible = principal.apps === null ? null : [...principal.apps];
  return {
    app_ids: app_id === undefined ? visible : canSee(principal, app_id) ? [app_id] : [],
    ...(user_id === undefined ? {} : { user_id }),
    ...(channel === undefined ? {} : { channel }),
    ...(address === undefined ? {} : { address }),
    ...(protocol === undefined ? {} : { protocol }),
    ...(node_id === undefined ? {} : { node_id }),
  };
}

import type { Json, Shape } from '@carillon/contracts';
import type { FleetHandler } from '@carillon/broker';
import type { Hub } from '@carillon/realtime';
import type { Presence } from '@carillon/presence';
import { LocalActions } from './actions.js';
import { LocalChannels } from './channels.js';
import { LocalConnections } from './connections.js';
import {
  CHANNEL_REQUEST,
  CHANNELS_REQUEST,
  CONNECTION_REQUEST,
  CONNECTIONS_REQUEST,
  DISCONNECT_REQUEST,
  MEMBERS_REQUEST,
  REMOVE_USER_REQUEST,
} from './requests.js';

/** What a gateway needs to answer requests. */
export interface GatewayParts {
  readonly hub: Pick<Hub, 'hubs' | 'leaving' | 'outlet'>;
  readonly presence: Pick<Presence, 'memberCounts' | 'members'>;
  readonly nodeId: () => string;
}

/** Computes the answer to one type of request. Rejects if the body is invalid. */
export type Work = (body: Json) => Promise<Json>;

/** Binds a shape to the work that takes what fits it. */
export function validated<Body>(shape: Shape<Body>, work: (body: Body) => Json | Promise<Json>): Work {
  return async (body) => {
    const problem = shape(body);
    if (problem !== null) throw new Error(`request is invalid: ${problem}`);
    return work(body as Body);
  };
}

/** Works about the sockets of this process, by type of request. */
export function gatewayWorks({ hub, presence, nodeId }: GatewayParts): ReadonlyMap<string, Work> {
  const connections = new LocalConnections(hub, nodeId);
  const channels = new LocalChannels(hub, presence);
  const actions = new LocalActions(hub);
  return new Map([
    ['manage_connections', validated(CONNECTIONS_REQUEST, (body) => connections.page(body))],
    ['manage_connection', validated(CONNECTION_REQUEST, (body) => connections.one(body))],
    ['manage_channels', validated(CHANNELS_REQUEST, (body) => channels.page(body))],
    ['manage_channel', validated(CHANNEL_REQUEST, (body) => channels.one(body))],
    ['manage_members', validated(MEMBERS_REQUEST, (body) => channels.members(body))],
    ['manage_disconnect', validated(DISCONNECT_REQUEST, (body) => actions.disconnect(body))],
    ['manage_remove_user', validated(REMOVE_USER_REQUEST, (body) => actions.removeUser(body))],
  ]);
}

/** Answers fleet requests by these works; further ones may be added later. */
export function handlerOf(works: ReadonlyMap<string, Work>): FleetHandler {
  return (type, body) => {
    const work = works.get(type);
    return work === undefined ? Promise.reject(new Error(`unknown request ${type}`)) : work(body);
  };
}

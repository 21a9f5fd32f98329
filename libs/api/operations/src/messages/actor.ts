import { ServiceError } from '@carillon/errors';
import { type Grant, grantOf } from '@carillon/history-messages';
import { isSocketId } from '@carillon/protocol';
import type { Caller, Right } from '../caller.js';
import type { ActingSocket } from '@carillon/broker';
import type { ActingSockets } from './parts.js';

/** Acting client, and the messages it may change. */
export interface Actor {
  readonly client_id?: string;
  readonly socket_id?: string;
  readonly grant: Grant;
}

/** Requested actor. */
export interface Asked {
  readonly socketId: string | undefined;
  readonly clientId: string | undefined;
}

/** Requested change of a channel, and its refusal. */
export interface Deed {
  readonly channel: string;
  /** Needed of a connection beside the grant. */
  readonly rights: readonly Right[];
  /**
   * Name of the right, as in `message-update`: checked with `-any` and `-own`; null: no message of another is
   * changed.
   */
  readonly grant: string | null;
  /** Whether every connection needs `rights`, and whether from a token. Absent: only connections with a token do. */
  readonly checks?: 'always' | 'token';
  readonly refusal: 'forbidden' | 'mutable_not_permitted';
}

/**
 * Determines the actor: without a socket the caller itself, as far as its rights go; with one, that connection.
 * @throws ServiceError `invalid_input` where acting as a connection is not supported, `auth_failed` if it is not
 * connected or belongs to another user, and the refusal if it lacks the right.
 */
export async function actorOf(
  caller: Caller,
  { socketId, clientId }: Asked,
  deed: Deed,
  sockets: ActingSockets | null,
): Promise<Actor> {
  if (caller.actsAs !== undefined) return identified(caller.actsAs(deed.channel), clientId, deed);
  if (socketId === undefined) return { ...ownIdentity(caller), grant: callerGrant(caller, deed) };
  if (sockets === null)
    throw new ServiceError('invalid_input', { text: 'socket_id is not taken by a process without sockets' });
  if (!isSocketId(socketId))
    throw new ServiceError('invalid_input', { text: 'socket_id must be that of a connection' });
  const socket = await sockets.find(caller.app.id, socketId, deed.channel);
  if (socket === null)
    throw new ServiceError('auth_failed', { text: 'no connection of protocol 2 has this socket_id' });
  return { ...identified(socket, clientId, deed), socket_id: socketId };
}

/** Returns the actor with the identity of a connection or token, which a given client id must be. */
function identified(socket: ActingSocket, clientId: string | undefined, deed: Deed): Actor {
  if (clientId !== undefined && socket.clientId !== clientId)
    throw new ServiceError('auth_failed', { text: 'client_id is not that of the connection or token' });
  const identity = socket.clientId === null ? {} : { client_id: socket.clientId };
  return { ...identity, grant: socketGrant(socket, deed) };
}

const ownIdentity = ({ userId }: Caller): { client_id?: string } =>
  userId === null ? {} : { client_id: userId };

/** Servers have all rights; other callers may be limited to their own messages. */
function callerGrant(caller: Caller, { channel, grant, refusal }: Deed): Grant {
  if (grant === null || mayDo(caller, `${grant}-any` as Right, channel)) return 'any';
  if (mayDo(caller, `${grant}-own` as Right, channel)) return 'own';
  throw new ServiceError(refusal);
}

export function mayDo(caller: Caller, right: Right, channel: string): boolean {
  try {
    caller.require(right, channel);
    return true;
  } catch {
    return false;
  }
}

function socketGrant({ hasToken, rights: held, clientId }: ActingSocket, deed: Deed): Grant {
  const { rights, grant, refusal, checks } = deed;
  const allows = (right: string): boolean => held.includes(right);
  if (checks === 'token' && !hasToken) throw new ServiceError(refusal);
  if ((hasToken || checks !== undefined) && !rights.every(allows)) throw new ServiceError(refusal);
  if (grant === null) return 'any';
  const granted = grantOf(grant, [`${grant}-any`, `${grant}-own`].filter(allows));
  if (granted === null || (granted === 'own' && clientId === null)) throw new ServiceError(refusal);
  return granted;
}

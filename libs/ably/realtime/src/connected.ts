import { messageRules, STATE_TTL_MS } from '@carillon/ably-core';
import type { CompatConnection } from './connection.js';
import { ACTION } from './flags.js';
import type { Session } from './sessions.js';

/** Escapes and base64 make a frame larger than its message. */
export const MAX_FRAME_BYTES = 262_144;
const MAX_IDLE_MS = 15_000;

/** Builds the CONNECTED frame, sent first and with every new connection key. */
export function connectedFrame(
  { principal, hub, id, transport }: CompatConnection,
  { key, error }: Pick<Session, 'error' | 'key'>,
  serverId: string,
): object {
  const { clientId } = principal;
  return {
    action: ACTION.connected,
    connectionId: id,
    // Clients of version 1 make the paths of comet requests of it.
    ...(transport?.keyChanged === undefined ? {} : { connectionKey: key }),
    connectionDetails: {
      ...(clientId === null ? {} : { clientId }),
      connectionKey: key,
      connectionStateTtl: STATE_TTL_MS,
      maxIdleInterval: MAX_IDLE_MS,
      maxMessageSize: messageRules(hub.app).maxBytes,
      maxFrameSize: MAX_FRAME_BYTES,
      serverId,
    },
    ...(error === null ? {} : { error: error.body }),
  };
}

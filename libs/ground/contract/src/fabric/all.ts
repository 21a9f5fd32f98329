import { RECORD } from '../commit/fan-out.js';
import { decoder } from '../codec/decode.js';
import { BROADCAST } from './broadcast.js';
import { CHANNEL_COUNTS, CHANNEL_COUNTS_FULL } from './channel-counts.js';
import { APP_COUNTS, HEARTBEAT, NODE_DEAD, NODE_LEAVING, ROLL_CALL } from './liveness.js';
import { PRESENCE_JOINED, PRESENCE_LEFT, PRESENCE_STATE, PRESENCE_UPDATED } from './presence.js';
import { REQUEST, RESPONSE } from './request.js';
import { APP_CHANGED, TOKEN_REVOKED, USER_OFFLINE, USER_ONLINE } from './users.js';

/** Reads the data plane: what may arrive on a channel's address or on the shared one. */
export const decodeDataPlane = decoder(BROADCAST, RECORD);

/** Reads the control plane: what may arrive for all gateways, for one, or as an answer. */
export const decodeControlPlane = decoder(
  REQUEST,
  RESPONSE,
  HEARTBEAT,
  ROLL_CALL,
  NODE_DEAD,
  NODE_LEAVING,
  PRESENCE_JOINED,
  PRESENCE_LEFT,
  PRESENCE_UPDATED,
  PRESENCE_STATE,
  CHANNEL_COUNTS,
  CHANNEL_COUNTS_FULL,
  APP_COUNTS,
  USER_ONLINE,
  USER_OFFLINE,
  APP_CHANGED,
  TOKEN_REVOKED,
);

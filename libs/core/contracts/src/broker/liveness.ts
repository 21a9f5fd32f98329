import { list, map, object, optional } from '../codec/composites.js';
import { message, type MessageOf } from '../codec/message.js';
import { oneOf, text } from '../codec/primitives.js';
import { appId, channel, count, nodeId, timeMs, userId } from './fields.js';

const MANY_APPS = 100_000;
const MANY_LEASES = 100_000;

const appTotals = map(appId, object({ connections: count }), MANY_APPS);

/** A gateway lives. The first one of an unknown node makes it a peer. */
export const HEARTBEAT = message('heartbeat', {
  node_id: nodeId,
  role: text(1, 32),
  routing: oneOf('interest', 'broadcast', 'dual'),
  seq: count,
  apps: optional(appTotals),
});

/** A new or formerly disconnected node requests heartbeats: every gateway sends one to its address. */
export const ROLL_CALL = message('roll_call', { node_id: nodeId });

/** The leader removed a silent node; followers drop its state and emit nothing. */
export const NODE_DEAD = message('node_dead', { node_id: nodeId, dead_node_id: nodeId });

/** A gateway stops in good order and hands on the users it still waits for. */
export const NODE_LEAVING = message('node_leaving', {
  node_id: nodeId,
  pending_leases: list(
    object({ app_id: appId, channel, user_id: userId, expires_at_ms: timeMs }),
    0,
    MANY_LEASES,
  ),
});

export type Heartbeat = MessageOf<typeof HEARTBEAT>;
export type RollCall = MessageOf<typeof ROLL_CALL>;
export type NodeDead = MessageOf<typeof NODE_DEAD>;
export type NodeLeaving = MessageOf<typeof NODE_LEAVING>;

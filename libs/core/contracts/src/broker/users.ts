import { optional } from '../codec/composites.js';
import { message, type BodyOf, type MessageOf } from '../codec/message.js';
import { appId, clientId, nodeId, replyAddress, requestId, tokenId } from './fields.js';

/** An app record changed: cached copies must be dropped. */
export const APP_CHANGED = message('app_changed', { app_id: appId, node_id: optional(nodeId) });

/** Tokens were revoked: close the sockets that hold one. At least one identity is given; both mean either. */
export const TOKEN_REVOKED = message('token_revoked', {
  app_id: appId,
  node_id: nodeId,
  jti: optional(tokenId),
  client_id: optional(clientId),
  /** Given: the number of sockets closed goes back as `sockets_count` of a response. Absent: no answer. */
  request_id: optional(requestId),
  /** Absent: an answer goes to the shared responses subject. */
  reply_to: optional(replyAddress),
});

export type AppChanged = MessageOf<typeof APP_CHANGED>;
export type TokenRevoked = MessageOf<typeof TOKEN_REVOKED>;
export type TokenRevokedBody = BodyOf<typeof TOKEN_REVOKED>;

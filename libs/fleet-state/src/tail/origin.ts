import type { Message } from '@carillon/protocol';

/** Ids of connections of protocols 1 and 2; those of Ably clients look otherwise. */
const SOCKET_ID = /^\d+\.\d+$/;

/**
 * How a message was published. Messages carry only whether a client sent them, so those of servers (HTTP, ingest, MCP,
 * management) are all `http`.
 */
export function originOf({ isFromClient }: Message, socketId: string | null): 'client' | 'compat' | 'http' {
  if (!isFromClient) return 'http';
  return socketId === null || SOCKET_ID.test(socketId) ? 'client' : 'compat';
}

import type { ChildProcess } from 'node:child_process';
import { Server, Socket } from 'node:net';

/** An open handle as Node lists it, by its JavaScript object. */
type Handle = object & { readonly _handle?: { hasRef?: () => boolean } | null };

/** Node documents only the kinds of active resources, without the objects. */
interface HandleList {
  _getActiveHandles(): readonly Handle[];
}

export const openHandles = (): readonly object[] => (process as unknown as HandleList)._getActiveHandles();

/**
 * Describes a listening server, a connected socket or a running child process that keeps this process alive; null for
 * other handles, such as idle sockets of `fetch` and of the global HTTP agents, which do not keep it alive. Node lists
 * neither the native listeners of uWebSockets.js nor worker threads.
 */
export function describeHandle(handle: Handle): string | null {
  if (handle._handle?.hasRef?.() === false) return null;
  if (handle instanceof Socket) return describeSocket(handle);
  if (handle instanceof Server) return `server at ${addressText(handle.address())}`;
  if ('spawnargs' in handle) return `process ${(handle as ChildProcess).spawnargs.slice(0, 3).join(' ')}`;
  return null;
}

/** Standard streams and pipes of children are sockets without a remote port. */
const describeSocket = ({ remoteAddress, remotePort, localPort }: Socket): string | null =>
  remotePort === undefined ? null : `socket from port ${localPort} to ${remoteAddress}:${remotePort}`;

const addressText = (address: ReturnType<Server['address']>): string =>
  address === null || typeof address === 'string' ? String(address) : `port ${address.port}`;

import { lendPoisoned, POISON_VARIABLE } from '@carillon/collections';
import type { SocketHandlers } from './sockets/handlers.js';

/** Receives a piece of a body; the bytes are valid until it returns. */
type TakeChunk = (chunk: Uint8Array, isLast: boolean) => void;
type TakeNativeChunk = (chunk: ArrayBuffer, isLast: boolean) => void;

const isPoisoning = process.env[POISON_VARIABLE] === 'true';

/** Passes views of native buffers to `take`; with poisoning on, copies that are overwritten afterwards. */
export const lendingChunks: (take: TakeChunk) => TakeNativeChunk = isPoisoning
  ? (take) => (chunk, isLast) =>
      lendPoisoned(Buffer.from(new Uint8Array(chunk)), (lent) => take(lent, isLast))
  : (take) => (chunk, isLast) => take(new Uint8Array(chunk), isLast);

/**
 * Returns `handlers`; with poisoning on, handlers that lend copies of the native buffers and overwrite them when the
 * handler returns. The native library only detaches its buffer, so an escaped view is silently empty without it.
 */
export const lending: <State>(handlers: SocketHandlers<State>) => SocketHandlers<State> = isPoisoning
  ? poisoning
  : (handlers) => handlers;

function poisoning<State>(handlers: SocketHandlers<State>): SocketHandlers<State> {
  const { socketOptions, open, drain, close, ping, pong, dropped } = handlers;
  return {
    ...(socketOptions && { socketOptions }),
    upgrade: (request) => handlers.upgrade(request),
    ...(open && { open: (socket) => handlers.open?.(socket) }),
    message: (socket, data, isBinary) =>
      lendPoisoned(data.slice(0), (lent) => handlers.message(socket, lent, isBinary)),
    ...(drain && { drain: (socket) => handlers.drain?.(socket) }),
    ...(close && {
      close: (socket, code, reason) =>
        lendPoisoned(reason.slice(0), (lent) => handlers.close?.(socket, code, lent)),
    }),
    ...(ping && {
      ping: (socket, data) => lendPoisoned(data.slice(0), (lent) => handlers.ping?.(socket, lent)),
    }),
    ...(pong && {
      pong: (socket, data) => lendPoisoned(data.slice(0), (lent) => handlers.pong?.(socket, lent)),
    }),
    ...(dropped && {
      dropped: (socket, data, isBinary) =>
        lendPoisoned(data.slice(0), (lent) => handlers.dropped?.(socket, lent, isBinary)),
    }),
  };
}

import type { ServiceError } from '@carillon/errors';
import type { Answer } from '../http/answer.js';
import type { HttpRequest } from '../http/request.js';
import type { CompressionName } from './compression.js';
import type { Socket } from './socket.js';

/** Decision on an upgrade: a connection with this state, or an HTTP refusal. */
export type UpgradeDecision<State> =
  | {
      readonly accept: State;
      /** Added to the 101 answer, lower-case names. */
      readonly headers?: Readonly<Record<string, string>>;
      /** Subprotocol to agree to; absent: none. */
      readonly protocol?: string;
    }
  | { readonly refuse: ServiceError | Answer };

/** Options of the sockets of a route; defaults of absent ones are named here. */
export interface SocketOptions {
  /** Largest inbound message, fragments together. Larger closes 1009. Default 64 MiB. */
  readonly maxPayloadBytes?: number;
  /** Seconds without anything inbound until the native library drops the socket: 8 to 960, 0 (default) never. */
  readonly idleTimeoutSeconds?: number;
  /** Bytes kept for a client that does not read; messages above are dropped. Default 1 MiB, 0 without bound. */
  readonly maxBackpressureBytes?: number;
  /** Whether a socket is closed at its first dropped message. Default false. */
  readonly closeOnBackpressureLimit?: boolean;
  /** Default `disabled`. */
  readonly compression?: CompressionName;
  /** Whether the native library pings before the idle timeout strikes. Default false. */
  readonly sendPingsAutomatically?: boolean;
}

/**
 * Handlers of the sockets of one route. All but `upgrade` are called synchronously on the event loop; data is valid
 * until the call returns and must be copied to be kept. Thrown errors go to the adapter's fault observer and leave
 * the socket unchanged: responses to clients belong to the protocol.
 */
export interface SocketHandlers<State> {
  /** Read when the route is registered. */
  readonly socketOptions?: SocketOptions;
  /** Decides on an upgrade, synchronously or later; a client that disconnects meanwhile is not upgraded. */
  upgrade(request: HttpRequest): UpgradeDecision<State> | Promise<UpgradeDecision<State>>;
  open?(socket: Socket<State>): void;
  message(socket: Socket<State>, data: ArrayBuffer, isBinary: boolean): void;
  /** Part of the buffered data was sent. */
  drain?(socket: Socket<State>): void;
  /** The connection has ended; the socket's state is still available. 1006: without a close frame. */
  close?(socket: Socket<State>, code: number, reason: ArrayBuffer): void;
  /** The client pinged; the pong is sent already. */
  ping?(socket: Socket<State>, data: ArrayBuffer): void;
  pong?(socket: Socket<State>, data: ArrayBuffer): void;
  /** A message was dropped because the buffer is full. */
  dropped?(socket: Socket<State>, data: ArrayBuffer, isBinary: boolean): void;
}

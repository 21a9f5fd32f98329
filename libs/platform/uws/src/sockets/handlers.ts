import type { ServiceError } from '@carillon/errors';
import type { Answer } from '../http/answer.js';
import type { HttpRequest } from '../http/request.js';
import type { CompressionName } from './compression.js';
import type { Socket } from './socket.js';

/** What becomes of an upgrade: a connection with this state, or an HTTP refusal. */
export type UpgradeDecision<State> =
  | {
      readonly accept: State;
      /** Added to the 101 answer, lower-case names. */
      readonly headers?: Readonly<Record<string, string>>;
      /** Subprotocol to agree to; absent: none. */
      readonly protocol?: string;
    }
  | { readonly refuse: ServiceError | Answer };

/** How the sockets of a route behave; what is absent has the default named here. */
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
 * What answers the sockets of one route. Everything but `upgrade` is called synchronously on the socket loop; data
 * is valid until the call returns and must be copied to be kept. Whatever is thrown goes to the adapter's fault
 * observer and leaves the socket as it is: what a client is told is the protocol's business.
 */
export interface SocketHandlers<State> {
  /** Read when the route is registered. */
  readonly socketOptions?: SocketOptions;
  /** Decides on an upgrade, at once or later; a client that goes away meanwhile is not upgraded. */
  upgrade(request: HttpRequest): UpgradeDecision<State> | Promise<UpgradeDecision<State>>;
  open?(socket: Socket<State>): void;
  message(socket: Socket<State>, data: ArrayBuffer, isBinary: boolean): void;
  /** Some of what was kept has been read. */
  drain?(socket: Socket<State>): void;
  /** The connection is over; the socket can still be asked for its state. 1006: without a close frame. */
  close?(socket: Socket<State>, code: number, reason: ArrayBuffer): void;
  /** The client pinged; the pong is sent already. */
  ping?(socket: Socket<State>, data: ArrayBuffer): void;
  pong?(socket: Socket<State>, data: ArrayBuffer): void;
  /** A message was thrown away because too much is kept already. */
  dropped?(socket: Socket<State>, data: ArrayBuffer, isBinary: boolean): void;
}

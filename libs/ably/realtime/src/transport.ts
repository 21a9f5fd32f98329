import type { SubscriberSocket } from '@carillon/realtime';

/** Carries the frames of one connection: a WebSocket, a comet session or an event stream. */
export interface Transport extends SubscriberSocket {
  /** The admitted connection; anything else before and after. */
  state: unknown;
  /** Shows the client that the connection is alive, for clients that want no HEARTBEAT frames. */
  ping(): unknown;
  /** The connection has another key. Absent: the transport does not identify its connection by the key. */
  keyChanged?(keyHash: string): void;
}

import type { SubscriberSocket } from '@carillon/realtime';

/** Carries the frames of one connection: a WebSocket, a comet session or an event stream. */
export interface Transport extends SubscriberSocket {
  /** The admitted connection; anything else before and after. */
  state: unknown;
  /** Sends a transport-level ping, for clients without HEARTBEAT frames. */
  ping(): unknown;
  /** The connection has another key. Absent: the transport does not identify its connection by the key. */
  keyChanged?(keyHash: string): void;
}

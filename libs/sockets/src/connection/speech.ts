import type { Codec, Edge } from '@carillon/realtime';
import type {
  ClientEventFrame,
  InboundFrame,
  InboundFrameV2,
  SubscribeFrameV2,
  WireFormat,
} from '@carillon/protocol';
import type { HeartbeatKind } from '../time/heartbeat.js';

/** A client event, with the fields that only protocol 2 clients can set. */
export interface ClientEvent extends ClientEventFrame {
  /** The payload size in bytes if the text is a list of byte values. Absent if the payload is the text itself. */
  readonly dataBytes?: number;
  /** Null: one is made. */
  readonly messageId: string | null;
  /** JSON text, as sent and readable; null: none. */
  readonly extrasText: string | null;
}

/**
 * A subscribe request in either protocol. Fields that a protocol does not support are absent, as if the client had
 * not sent them.
 */
export interface SubscribeRequest extends SubscribeFrameV2 {
  /** Whether the request asks for a rewind in any form. */
  readonly wantsRewind: boolean;
}

/** Requests that only protocol 2 has. */
export type OwnRequest = Extract<
  InboundFrameV2,
  {
    readonly kind:
      | 'auth'
      | 'channel-history'
      | 'delta-sync-error'
      | 'enable-delta'
      | 'presence-update'
      | 'resume';
  }
>;

/** One request of a client, whichever protocol it speaks. */
export type Inbound =
  | ClientEvent
  | SubscribeRequest
  | OwnRequest
  | Exclude<InboundFrame, { readonly kind: 'client-event' | 'subscribe' }>
  | Exclude<InboundFrameV2, { readonly kind: 'client-event' | 'subscribe' | OwnRequest['kind'] }>;

/** State shared by all connections of one protocol and wire format. */
export interface Speech {
  readonly edge: Edge;
  readonly codec: Codec;
  /** Wire format. */
  readonly format: WireFormat;
  /** Whether client events with an id are acknowledged. */
  readonly acks: boolean;
  /** The heartbeat policy for silent connections. */
  readonly heartbeat: HeartbeatKind;
  /** Reads one frame. Never throws; the bytes are not used after it returns. */
  readonly read: (bytes: ArrayBuffer) => Inbound;
}

import type { Codec, Edge } from '@carillon/realtime';
import type {
  ClientEventFrame,
  InboundFrame,
  InboundFrameV2,
  SubscribeFrameV2,
  WireFormat,
} from '@carillon/protocol';
import type { HeartbeatKind } from '../time/heartbeat.js';

/** What a client sent for others, with what only protocol 2 clients can say of it. */
export interface ClientEvent extends ClientEventFrame {
  /** How many bytes the payload is, of which its text is the list. Absent: it is what its text says. */
  readonly dataBytes?: number;
  /** Null: one is made. */
  readonly messageId: string | null;
  /** JSON text, as sent and readable; null: none. */
  readonly extrasText: string | null;
}

/** A wish to receive a channel; what a protocol does not have is absent as if it had not been said. */
export interface SubscribeRequest extends SubscribeFrameV2 {
  /** Whether past messages are asked for, by whatever words. */
  readonly wantsRewind: boolean;
}

/** What only protocol 2 has. */
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

/** What all connections of one protocol and wire format share. */
export interface Speech {
  readonly edge: Edge;
  readonly codec: Codec;
  /** Wire format. */
  readonly format: WireFormat;
  /** Whether client events with an id are acknowledged. */
  readonly acks: boolean;
  /** How silent connections are treated. */
  readonly heartbeat: HeartbeatKind;
  /** Reads one frame. Never throws; the bytes are not used after it returns. */
  readonly read: (bytes: ArrayBuffer) => Inbound;
}

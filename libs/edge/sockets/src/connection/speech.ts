import type { Codec, Edge } from '@carillon/hub';
import type { ClientEventFrame, InboundFrame, InboundFrameV2 } from '@carillon/protocol';

/** What a client sent for others, with what only protocol 2 clients can say of it. */
export interface ClientEvent extends ClientEventFrame {
  /** Null: one is made. */
  readonly messageId: string | null;
  /** JSON text, as sent and readable; null: none. */
  readonly extrasText: string | null;
}

/** One request of a client, whichever protocol it speaks; those of protocol 2 alone come from its connections alone. */
export type Inbound =
  | ClientEvent
  | Exclude<InboundFrame, { readonly kind: 'client-event' }>
  | Exclude<InboundFrameV2, { readonly kind: 'client-event' }>;

/** What all connections of one protocol and wire format share. */
export interface Speech {
  readonly edge: Edge;
  readonly codec: Codec;
  /** Reads one frame. Never throws; the bytes are not used after it returns. */
  readonly read: (bytes: ArrayBuffer) => Inbound;
}

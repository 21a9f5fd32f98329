/** A header's value. */
export type HeaderValue = string | number | boolean;

/** The metadata of a message. */
export interface Extras {
  readonly headers?: Readonly<Record<string, HeaderValue>>;
  /** Deliver only to currently connected clients. */
  readonly ephemeral?: boolean;
  /** Whether the sender receives it too; absent: the setting of its connection. */
  readonly echo?: boolean;
  readonly ai?: {
    readonly transport?: Readonly<Record<string, string>>;
    readonly codec?: Readonly<Record<string, string>>;
  };
  readonly [other: string]: unknown;
}

/** One frame, independent of its wire format. */
export interface Frame {
  readonly event: string;
  readonly channel?: string;
  readonly data?: unknown;
  readonly name?: string;
  readonly userId?: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly messageId?: string;
  readonly streamId?: string;
  readonly serial?: number;
  readonly extras?: Extras;
}

/** A received frame. */
export interface ReceivedFrame extends Frame {
  /** For a frame that can be a delta base: its exact text without the two members below. */
  readonly baseText?: string;
  readonly sequence?: number;
  readonly group?: string;
}

/** Encodes and decodes frames. */
export interface WireFormat {
  readonly name: 'json' | 'messagepack' | 'protobuf';
  encode(frame: Frame): string | Uint8Array<ArrayBuffer>;
  /** Null: not a frame. Never throws. */
  decode(data: string | ArrayBuffer): ReceivedFrame | null;
}

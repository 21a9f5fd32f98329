/** A header's value. */
export type HeaderValue = string | number | boolean;

/** What travels beside the data of a message. */
export interface Extras {
  readonly headers?: Readonly<Record<string, HeaderValue>>;
  /** Only for who is connected now. */
  readonly ephemeral?: boolean;
  /** Whether the sender gets it too; absent: as its connection says. */
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

/** A frame as it came. */
export interface ReceivedFrame extends Frame {
  /** Of a frame that differences may be made of: its exact text without the two members below. */
  readonly baseText?: string;
  readonly sequence?: number;
  readonly group?: string;
}

/** How frames are written and read. */
export interface WireFormat {
  readonly name: 'json' | 'messagepack' | 'protobuf';
  encode(frame: Frame): string | Uint8Array<ArrayBuffer>;
  /** Null: not a frame. Never throws. */
  decode(data: string | ArrayBuffer): ReceivedFrame | null;
}

/** Wire format of the frames of a connection. */
export type WireFormat = 'json' | 'messagepack' | 'protobuf';

/** Whether an append to a message arrives as the piece added or as the whole. */
export type AppendMode = 'delta' | 'full';

/** Client library, for logs and metrics only. Empty: unknown. At most 128 characters each. */
export interface ClientLibrary {
  readonly client: string;
  readonly version: string;
}

/** Options of a protocol 1 connection. */
export interface V1ConnectOptions extends ClientLibrary {
  readonly protocol: 1;
  /** This protocol knows no capability tokens: a connection that brings one is closed with 4009. */
  readonly bringsToken: boolean;
}

/** Options of a protocol 2 connection. */
export interface V2ConnectOptions extends ClientLibrary {
  readonly protocol: 2;
  readonly format: WireFormat;
  /** Whether the sender of a client event receives it too. */
  readonly echoMessages: boolean;
  /** Whether client events with a `message_id` are acknowledged. */
  readonly acks: boolean;
  readonly appendMode: AppendMode;
  /** Advisory. Null: none requested. */
  readonly appendRollupWindowMs: number | null;
  /** Not yet verified. Null: none given. */
  readonly token: string | null;
}

/** The configuration that connect options depend on. */
export interface ConnectRules {
  /** Off: `echo_messages` is ignored and echo is on. */
  readonly echoControlEnabled: boolean;
  readonly defaultEchoMessages: boolean;
  readonly minRollupWindowMs: number;
  readonly maxRollupWindowMs: number;
}

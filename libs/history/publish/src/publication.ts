/** Retention of a channel's history. Unlimited values are `Infinity`. */
export interface KeptFor {
  readonly retentionWindowSeconds: number;
  readonly maxMessages: number;
  readonly maxBytes: number;
}

/** Limits of a channel's replay buffer. */
export interface KeptForReplay {
  readonly maxCount: number;
  readonly maxAgeMs: number;
}

/** Identity of a publish to a channel, for deduplication. */
export interface PublicationKey {
  readonly key: string;
  /** Hash of everything the publisher decides about the message; lower-case hex. */
  readonly fingerprint: string;
  /** Lifetime of the key. */
  readonly ttlMs: number;
}

/** One event for one channel, already validated and authorized. */
export interface Publication {
  readonly appId: string;
  readonly channel: string;
  readonly event: string;
  /**
   * JSON text of the payload, sent on as it is. A server publish has a string, so its text is quoted; null: a client
   * gave none, and receivers get none.
   */
  readonly dataText: string | null;
  /** The payload is bytes, encoded as a list of numbers. Absent: text. */
  readonly isBytes?: true;
  /** The payload is a string that holds the JSON text of a published value of another type. Absent: it does not. */
  readonly isJsonText?: true;
  /** The sender of a client event on a presence channel, else null. */
  readonly userId: string | null;
  /** Connection excluded from delivery, or null. For client events: the sender, unless it requests its own. */
  readonly exceptSocketId: string | null;
  /** Absent: a server sent it. */
  readonly isFromClient?: boolean;
  /** Whether it may be sent as the difference to an earlier one. Absent: it may. */
  readonly mayBeDelta?: boolean;
  /** The publisher's own id for it; null: one is made. */
  readonly messageId: string | null;
  /**
   * Whether it becomes the last event shown to later subscribers: a server publish to a cache channel, never a client
   * event.
   */
  readonly isLastEvent: boolean;
  /** The channel's history, which the event becomes part of; null: nothing of it is kept. */
  readonly history: KeptFor | null;
  /**
   * For a channel without history: limits of its replay buffer, in which the event gets a serial. Null or absent:
   * none.
   */
  readonly replay?: KeptForReplay | null;
  /** The publisher requests delivery to currently connected sockets only. Absent: no. */
  readonly isEphemeral?: boolean;
  /** Verified owner of the message; absent: a server, or anonymous. */
  readonly creatorId?: string;
  /** JSON texts of further members for protocol 2 subscribers; null: none. */
  readonly tagsText: string | null;
  readonly extrasText: string | null;
  /**
   * In a durable channel, a second publish under the same key is not committed again. Elsewhere the publisher
   * deduplicates, and a duplicate that passes within about a minute is not delivered to receivers of the first. Null:
   * no key.
   */
  readonly key: PublicationKey | null;
}

/** Result of a publish. */
export interface Receipt {
  /** The publisher's id or the one that was made. */
  readonly messageId: string;
  /** Serial in the channel's history. Absent: no history. */
  readonly historySerial?: number;
  /** Its position in the channel's stream. Absent: the channel keeps no positions, or the event is ephemeral. */
  readonly position?: { readonly streamId: string; readonly serial: number };
  /** Version of a mutable message. Absent: messages of the channel are immutable. */
  readonly version?: {
    readonly messageSerial: string;
    readonly versionSerial: string;
    readonly deliverySerial: number;
  };
  /** Its key stood for the same message already, and nothing was sent. Absent: it was sent. */
  readonly isDuplicate?: true;
}

/** How long and how much of a channel's events is kept. Without a bound it is `Infinity`. */
export interface KeptFor {
  readonly retentionWindowSeconds: number;
  readonly maxMessages: number;
  readonly maxBytes: number;
}

/** How much of a channel's newest events is kept for replay. */
export interface KeptForReplay {
  readonly maxCount: number;
  readonly maxAgeMs: number;
}

/** What makes two publishes to a channel the same. */
export interface PublicationKey {
  readonly key: string;
  /** Of everything the publisher decides about the message; lower-case hex. */
  readonly fingerprint: string;
  /** How long the key stands for the message. */
  readonly ttlMs: number;
}

/** One event for one channel, already judged by the rules of whoever asked for it. */
export interface Publication {
  readonly appId: string;
  readonly channel: string;
  readonly event: string;
  /**
   * JSON text of the payload, sent on as it is. A server publish has a string, so its text is quoted; null: a client
   * gave none, and receivers get none.
   */
  readonly dataText: string | null;
  /** The payload is bytes, of which its text is the list. Absent: it is what its text says. */
  readonly isBytes?: true;
  /** The payload is a string that holds the JSON text of a published value of another type. Absent: it does not. */
  readonly isJsonText?: true;
  /** The sender of a client event on a presence channel, else null. */
  readonly userId: string | null;
  /** The connection that must not receive it, else null. Of what a client sent: the client, unless it asks for its own. */
  readonly exceptSocketId: string | null;
  /** Absent: a server sent it. */
  readonly isFromClient?: boolean;
  /** Whether it may be sent as the difference to an earlier one. Absent: it may. */
  readonly mayBeDelta?: boolean;
  /** The publisher's own id for it; null: one is made. */
  readonly messageId: string | null;
  /** Whether later subscribers are shown it: a server publish to a cache channel, never what a client said. */
  readonly isLastEvent: boolean;
  /** The channel's history, which the event becomes part of; null: nothing of it is kept. */
  readonly history: KeptFor | null;
  /** Of a channel without a history: it takes a place in the channel's stream. Null or absent: it has none. */
  readonly replay?: KeptForReplay | null;
  /** Its publisher says that it is for sockets connected now only. Absent: nobody says so. */
  readonly isEphemeral?: boolean;
  /** Whose message it is, verified; absent: a server's, or nobody's. */
  readonly creatorId?: string;
  /** JSON texts of what protocol 2 subscribers get beside the data; null: nothing. */
  readonly tagsText: string | null;
  readonly extrasText: string | null;
  /**
   * Where the channel has a history, a second publish under the same key is not committed again. Elsewhere whoever
   * publishes sees to that, and a second one that comes through all the same, for about a minute, is delivered to
   * nobody who had the first. Null: it has no key.
   */
  readonly key: PublicationKey | null;
}

/** What came of it. */
export interface Receipt {
  /** The publisher's id or the one that was made. */
  readonly messageId: string;
  /** Its place in the channel's history. Absent: the channel has none. */
  readonly historySerial?: number;
  /** Its position in the channel's stream. Absent: the channel keeps no positions, or the event is ephemeral. */
  readonly position?: { readonly streamId: string; readonly serial: number };
  /** Where it can be changed. Absent: messages of the channel do not live on. */
  readonly version?: {
    readonly messageSerial: string;
    readonly versionSerial: string;
    readonly deliverySerial: number;
  };
  /** Its key stood for the same message already, and nothing was sent. Absent: it was sent. */
  readonly isDuplicate?: true;
}

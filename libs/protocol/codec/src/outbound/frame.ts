/**
 * One frame to a client, free of any protocol and wire format. An application event is written here directly; every
 * other frame has a function that makes it.
 */
export interface OutboundFrame {
  /** A reserved prefix may be either protocol's: the encoder writes the connection's own. */
  readonly event: string;
  /** Absent: the frame belongs to no channel. */
  readonly channel?: string;
  /**
   * Valid JSON text of the payload; encoders put it in as it is. The payload of a server publish is always a string,
   * so its text is quoted. Absent or null: the frame has no `data`.
   */
  readonly dataText?: string | null;
  /** The sender of a client event on a presence channel. Absent or null everywhere else. */
  readonly userId?: string | null;
}

/** Up to where a client has seen a channel. */
export interface ResumePosition {
  /** Null: unknown to the client; only messages in memory can be replayed. */
  readonly streamId: string | null;
  /** 0: nothing yet. */
  readonly serial: number;
  /** A message not to send again; null: none named. */
  readonly lastMessageId: string | null;
}

/** What a writer tells of itself, for metrics and logs. None may throw. */
export interface WriterEvents {
  /** Serves the lane from now on. */
  taken(lane: number): void;
  /** Serves it no longer. */
  released(lane: number): void;
  /** Another writer, which has not left, is taken for dead. */
  buried(writerId: string): void;
  /** Somebody counts other lanes than this writer; a publisher's request was refused, a writer is ignored. */
  mismatched(who: { readonly nodeId: string; readonly lanes: number; readonly lane?: number }): void;
  /** A message that cannot be used. */
  dropped(reason: string): void;
  /** Something is tried again. */
  failed(doing: 'announce' | 'read' | 'take' | 'verify', error: unknown): void;
}

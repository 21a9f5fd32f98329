/** Callbacks of a writer for metrics and logs. None may throw. */
export interface WriterEvents {
  /** Serves the lane from now on. */
  taken(lane: number): void;
  /** Serves it no longer. */
  released(lane: number): void;
  /** Another writer, which has not left, is taken for dead. */
  buried(writerId: string): void;
  /** Another process uses a different number of lanes: a publisher's request was refused, or a writer is ignored. */
  mismatched(who: { readonly nodeId: string; readonly lanes: number; readonly lane?: number }): void;
  /** A message that cannot be used. */
  dropped(reason: string): void;
  /** Something is tried again. */
  failed(doing: 'announce' | 'read' | 'take' | 'verify', error: unknown): void;
}

/** Connection of the driver. A call resolves or rejects in a bounded time. */
export interface QueueLink {
  call(command: string, ...args: readonly (number | string)[]): Promise<unknown>;
  /** Reason why the server cannot serve; null if healthy. Never rejects. */
  health(): Promise<string | null>;
  /** Calls that wait, and all later ones, reject. */
  close(): void;
}

/** Opens a connection. `blockingMs`: how much longer than usual its calls may take. */
export type OpenLink = (blockingMs: number) => Promise<QueueLink>;

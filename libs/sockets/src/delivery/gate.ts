import type { Connection } from '../connection/connection.js';
import type { Outlet } from './outlet.js';

interface Held {
  readonly messageId: string;
  readonly frameText: string;
}

/**
 * Holds back a channel's live events from one connection while something must reach it first: its success frame, the
 * members, a cached event. What is held counts as its outbound queue, with the same bounds.
 */
export class Gate {
  #held: Held[] = [];
  #bytes = 0;

  constructor(
    readonly connection: Connection,
    private readonly outlet: Outlet,
  ) {}

  hold(messageId: string, frameText: string): void {
    if (!this.connection.isOpen) return;
    const { maxFrames, maxBytes } = this.outlet.bounds;
    const bytes = Buffer.byteLength(frameText);
    if (this.#held.length >= maxFrames || this.#bytes + bytes > maxBytes)
      return this.outlet.overflow(this.connection);
    this.#held.push({ messageId, frameText });
    this.#bytes += bytes;
  }

  /** Whether this event waits here, so that the client will get it in its place. */
  has(messageId: string): boolean {
    return this.#held.some((one) => one.messageId === messageId);
  }

  /** Sends what was held, in order. */
  send(): void {
    for (const { frameText } of this.#held) this.outlet.sendText(this.connection, frameText);
    this.#held = [];
    this.#bytes = 0;
  }
}

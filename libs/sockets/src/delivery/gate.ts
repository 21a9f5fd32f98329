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
    const { maxFrames, maxBytes } = this.outlet.bounds;
    this.#bytes += frameText.length;
    if (this.#held.length >= maxFrames || this.#bytes > maxBytes)
      return this.outlet.overflow(this.connection);
    this.#held.push({ messageId, frameText });
  }

  /** Sends what was held, in order, but for one event that the client has got already; null: it has got none. */
  send(exceptMessageId: string | null): void {
    for (const { messageId, frameText } of this.#held) {
      if (messageId !== exceptMessageId) this.outlet.sendText(this.connection, frameText);
    }
    this.#held = [];
  }
}

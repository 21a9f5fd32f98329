import type { Connection } from '../connection/connection.js';
import type { Outlet } from './outlet.js';

interface Held {
  readonly messageId: string;
  readonly frameText: string;
  /** Of the change of a member it tells; null: it tells of none. */
  readonly serial: number | null;
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

  hold(messageId: string, frameText: string, serial: number | null = null): void {
    if (!this.connection.isOpen) return;
    const { maxFrames, maxBytes } = this.outlet.bounds;
    const bytes = Buffer.byteLength(frameText);
    if (this.#held.length >= maxFrames || this.#bytes + bytes > maxBytes)
      return this.outlet.overflow(this.connection);
    this.#held.push({ messageId, frameText, serial });
    this.#bytes += bytes;
  }

  /** Whether this event waits here, so that the client will get it in its place. */
  has(messageId: string): boolean {
    return this.#held.some((one) => one.messageId === messageId);
  }

  /** The members are about to be shown as they were then: what tells of earlier changes is in there already. */
  shown(serial: number): void {
    const isNews = (one: Held): boolean => one.serial === null || one.serial > serial;
    for (const one of this.#held) if (!isNews(one)) this.#bytes -= Buffer.byteLength(one.frameText);
    this.#held = this.#held.filter(isNews);
  }

  /** Sends what was held, in order. */
  send(): void {
    for (const { frameText } of this.#held) this.outlet.sendText(this.connection, frameText);
    this.#held = [];
    this.#bytes = 0;
  }
}

import type { Codec } from '@carillon/realtime';
import { Connection } from '../connection/connection.js';
import type { ErrorCode } from '@carillon/errors';
import type { App } from '@carillon/app-registry';

/**
 * A connection that is not let in, but is upgraded all the same so that a browser can read why. With an app, the
 * quotas of node and app are asked first: they come before this reason in the order of checks.
 */
export class RefusedArrival {
  constructor(
    readonly reason: ErrorCode,
    readonly app: App | null,
    /** In what it is told why. */
    readonly codec: Codec,
    /** What the client is told; null: the reason's own text. */
    readonly message: string | null = null,
  ) {}
}

/** What was decided about an upgraded socket. */
export type SettledArrival = Connection | RefusedArrival;

/** Frames, and bytes of them, that are kept for a socket that is not let in yet; more are not read. */
const MOST_FRAMES = 16;
const MOST_BYTES = 64 * 1024;

/**
 * A socket that was upgraded at once and waits for others to say whether it is let in. An upgrade itself cannot wait:
 * see the late ones in `docs/uwebsockets.md`.
 */
export class PendingArrival {
  #frames: ArrayBuffer[] = [];
  #bytes = 0;

  constructor(readonly decision: Promise<SettledArrival>) {}

  /** Clients are to wait until they are established; one that does not is read afterwards. */
  hold(frame: ArrayBuffer): void {
    if (this.#frames.length >= MOST_FRAMES || this.#bytes + frame.byteLength > MOST_BYTES) return;
    this.#bytes += frame.byteLength;
    // The native side takes its memory back after the call.
    this.#frames.push(frame.slice(0));
  }

  /** What came meanwhile, once. */
  take(): readonly ArrayBuffer[] {
    const frames = this.#frames;
    this.#frames = [];
    return frames;
  }
}

/** What an upgraded socket carries. */
export type Arrival = SettledArrival | PendingArrival;

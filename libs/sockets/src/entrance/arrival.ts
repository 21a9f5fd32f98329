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
    /** The codec of the error frame. */
    readonly codec: Codec,
    /** The error message for the client; null uses the default text of the reason. */
    readonly message: string | null = null,
  ) {}
}

/** The admission decision for an upgraded socket. */
export type SettledArrival = Connection | RefusedArrival;

/** Limits of the frames and bytes held for a socket that is not admitted yet; further frames are dropped. */
const MAX_FRAMES = 16;
const MAX_BYTES = 64 * 1024;

/**
 * A socket that was upgraded immediately and awaits an asynchronous admission decision. The upgrade itself cannot be
 * deferred: see late upgrades in `docs/uwebsockets.md`.
 */
export class PendingArrival {
  #frames: ArrayBuffer[] = [];
  #bytes = 0;

  constructor(readonly decision: Promise<SettledArrival>) {}

  /** Clients are to wait until they are established; one that does not is read afterwards. */
  hold(frame: ArrayBuffer): void {
    if (this.#frames.length >= MAX_FRAMES || this.#bytes + frame.byteLength > MAX_BYTES) return;
    this.#bytes += frame.byteLength;
    // The native side takes its memory back after the call.
    this.#frames.push(frame.slice(0));
  }

  /** Returns and clears the frames received while the decision was pending. */
  take(): readonly ArrayBuffer[] {
    const frames = this.#frames;
    this.#frames = [];
    return frames;
  }
}

/** The user data of an upgraded socket. */
export type Arrival = SettledArrival | PendingArrival;

import type { DeltaAlgorithm } from '@carillon/delta';
import type { Codec } from '@carillon/realtime';
import type { FrameV2, WireNames } from '@carillon/protocol';
import type { Connection } from '../connection/connection.js';
import type { ViewV2 } from './view-v2.js';

/** The views of one protocol 2 connection, for channels that it does not receive in full. */
export class Views {
  /** The default delta algorithm of its subscriptions; null disables deltas. */
  algorithm: DeltaAlgorithm | null = null;
  #byChannel: Map<string, ViewV2> | null = null;

  constructor(
    /** Writes a frame as text. Null for binary formats, which do not support deltas. */
    readonly write: ((frame: FrameV2) => string) | null,
    /** The codec of meta channels. */
    readonly meta: Codec,
    /** The spelling of names for this connection. */
    readonly names: WireNames,
  ) {}

  /** The number of channels and patterns with a view. */
  get size(): number {
    return this.#byChannel?.size ?? 0;
  }

  /** Undefined: everything of the channel in full, or it has not got it. */
  get(channel: string): ViewV2 | undefined {
    return this.#byChannel?.get(channel);
  }

  /** Sets the view of a channel and releases the previous one. */
  keep(channel: string, view: ViewV2 | null): void {
    const before = this.#byChannel?.get(channel);
    if (before !== view) before?.release();
    if (view === null) this.#byChannel?.delete(channel);
    else (this.#byChannel ??= new Map()).set(channel, view);
  }

  /** The connection is out. */
  release(): void {
    for (const view of this.#byChannel?.values() ?? []) view.release();
    this.#byChannel = null;
  }
}

/** A connection that has views. */
export interface Viewer extends Connection {
  readonly views: Views;
}

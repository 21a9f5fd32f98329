import type { DeltaAlgorithm } from '@carillon/delta';
import type { Codec } from '@carillon/realtime';
import type { FrameV2, WireNames } from '@carillon/protocol';
import type { Connection } from '../connection/connection.js';
import type { ViewV2 } from './view-v2.js';

/** What one connection of protocol 2 gets of its channels, where that is not everything in full. */
export class Views {
  /** What its subscriptions get differences in, but for those that say otherwise; null: none. */
  algorithm: DeltaAlgorithm | null = null;
  #byChannel: Map<string, ViewV2> | null = null;

  constructor(
    /** How frames are written as texts; null: they are not, so that there are no differences of them. */
    readonly write: ((frame: FrameV2) => string) | null,
    /** What is told on meta channels is said with. */
    readonly meta: Codec,
    /** How names are spelled to it. */
    readonly names: WireNames,
  ) {}

  /** Of how many channels and patterns it does not get everything in full. */
  get size(): number {
    return this.#byChannel?.size ?? 0;
  }

  /** Undefined: everything of the channel in full, or it has not got it. */
  get(channel: string): ViewV2 | undefined {
    return this.#byChannel?.get(channel);
  }

  /** Replaces what it got of the channel before, which is given back. */
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

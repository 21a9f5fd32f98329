import type { DeltaWish } from '@carillon/delta';
import type { Codec } from '@carillon/realtime';
import type { Message } from '@carillon/protocol';
import type { View } from '../connection/judged.js';
import type { DeltaEntry } from './delta/delta-entry.js';

/** What a filter leaves of a channel, and what it is asked itself; the filter is given back with it. */
export interface Narrowed {
  readonly codec: Codec;
  /** Returns null if the share of the event loop has no time to evaluate it now. */
  accepts(message: Message): boolean | null;
  release(): void;
}

/** What a subscription of protocol 2 gets of its channel, and what its client asked for. */
export class ViewV2 implements View {
  /** With differences; null: everything in full. */
  delta: DeltaEntry | null = null;
  /** Tells what follows the success frame. */
  settled: () => void = () => {};

  constructor(
    /** What everything is said with in full. */
    readonly base: Codec,
    private readonly narrowed: Narrowed | null,
    /** Of this subscription alone; null: the connection decides. */
    readonly wish: DeltaWish | null,
    /** Whether it is told of every single annotation. */
    readonly annotations = false,
  ) {}

  get codec(): Codec {
    return this.delta ?? this.base;
  }

  /** Returns null if the share of the event loop has no time for the filter now. */
  accepts(message: Message): boolean | null {
    return this.narrowed === null || this.narrowed.accepts(message);
  }

  release(): void {
    this.narrowed?.release();
  }
}

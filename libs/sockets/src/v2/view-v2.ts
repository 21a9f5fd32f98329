import type { DeltaWish } from '@carillon/delta';
import type { Codec } from '@carillon/realtime';
import type { Message } from '@carillon/protocol';
import type { View } from '../connection/judged.js';
import type { DeltaEntry } from './delta/delta-entry.js';

/** A filtered codec and its filter, which is released with the view. */
export interface Narrowed {
  readonly codec: Codec;
  /** Returns null if the share of the event loop has no time to evaluate it now. */
  accepts(message: Message): boolean | null;
  release(): void;
}

/** The view of a protocol 2 subscription, and the options its client requested. */
export class ViewV2 implements View {
  /** The delta codec; null: all messages are sent in full. */
  delta: DeltaEntry | null = null;
  /** Sends the frames that follow the success frame. */
  settled: () => void = () => {};

  constructor(
    /** The codec of full messages. */
    readonly base: Codec,
    private readonly narrowed: Narrowed | null,
    /** The delta setting of this subscription; null uses that of the connection. */
    readonly wish: DeltaWish | null,
    /** Whether it receives individual annotation events. */
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

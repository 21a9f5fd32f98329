/** A channel that is sequenced. */
export interface ReplayPlace {
  readonly appId: string;
  readonly channel: string;
}

/** A place in the stream of a channel. */
export interface StreamPosition {
  /** Another one: the stream begins anew, and what was before is over. */
  readonly streamId: string;
  /** The newest that was taken; 0: none yet. */
  readonly serial: number;
}

/** How much of a channel is kept for replay. */
export interface ReplayBounds {
  readonly maxCount: number;
  readonly maxAgeMs: number;
}

export interface NewReplayEntry {
  readonly place: ReplayPlace;
  /** What is kept, which nobody here reads. */
  readonly text: string;
  readonly bounds: ReplayBounds;
  /** By which it is known again for a while, so that whoever tries again takes no second serial. Null: it is not tried again. */
  readonly once: { readonly id: string; readonly forMs: number } | null;
}

/** One event that is kept. */
export interface ReplayEntry {
  readonly serial: number;
  /** By the clock of the store. */
  readonly atMs: number;
  readonly text: string;
}

/** What of a stream is kept from a serial on. */
export interface ReplayRange extends StreamPosition {
  /** In order without a hole, up to the serial of the stream; what is gone is missing at the beginning. */
  readonly entries: readonly ReplayEntry[];
}

/** A channel keeps its counter for so long after it was used last. */
export const COUNTER_LIFE_MS = 24 * 3_600_000;
/** Of one channel at most so much text is kept, in bytes, however few events that is. */
export const MAX_CHANNEL_BYTES = 4 * 1024 * 1024;

/**
 * Gives the events of sequenced channels their places, and keeps the newest of each channel for whoever missed some.
 *
 * Promises of every driver:
 * - Taking a serial and keeping its entry are one step: every serial of a stream up to its newest was given once, and is
 *   readable at once, until it is too old or too much came after it.
 * - A counter that is lost is never begun again under its old stream id.
 * - What cannot be reached rejects with `ReplayUnavailable`; then the serial may have been taken and the entry kept. There
 *   is no fallback to a counter of this process alone.
 */
export interface Replay {
  /** Everything but `range` and `renew` is done at once. */
  readonly isAtOnce: boolean;
  /** At once where nothing has to be waited for. */
  append(entry: NewReplayEntry): Promise<StreamPosition> | StreamPosition;
  /** Where channels stand, in the order asked. A channel without a stream begins one. */
  heads(places: readonly ReplayPlace[]): Promise<readonly StreamPosition[]> | readonly StreamPosition[];
  /** Entries from a serial on, those older than that left out. Null: the channel has no stream. */
  range(place: ReplayPlace, fromSerial: number, maxAgeMs: number): Promise<ReplayRange | null>;
  /** Begins a new stream, if the channel still has the one named. True: it did. */
  renew(place: ReplayPlace, streamId: string): Promise<boolean>;
  /** Null when healthy, else what is wrong. Never rejects. */
  health(): Promise<string | null>;
  /** Idempotent. Afterwards every operation rejects. */
  close(): Promise<void>;
}

/** A channel that is sequenced. */
export interface ReplayPlace {
  readonly appId: string;
  readonly channel: string;
}

/** A position in the stream of a channel. */
export interface StreamPosition {
  /** A different id means that the stream was restarted and the old one ended. */
  readonly streamId: string;
  /** The newest that was taken; 0: none yet. */
  readonly serial: number;
}

/** Limits of the replay buffer of a channel. */
export interface ReplayBounds {
  readonly maxCount: number;
  readonly maxAgeMs: number;
}

export interface NewReplayEntry {
  readonly place: ReplayPlace;
  /** Stored text, opaque to the store. */
  readonly text: string;
  readonly bounds: ReplayBounds;
  /** Recognises a retry for a while, so that it is assigned no second serial. Null: not retried. */
  readonly once: { readonly id: string; readonly forMs: number } | null;
}

/** One event that is kept. */
export interface ReplayEntry {
  readonly serial: number;
  /** Time by the clock of the store. */
  readonly atMs: number;
  readonly text: string;
}

/** Stored part of a stream from a serial on. */
export interface ReplayRange extends StreamPosition {
  /** In order and without gaps up to the newest serial; evicted entries are missing at the beginning. */
  readonly entries: readonly ReplayEntry[];
}

/** A channel keeps its counter for so long after it was used last. */
export const COUNTER_LIFE_MS = 24 * 3_600_000;
/** Limit of stored text per channel in bytes, regardless of the number of events. */
export const MAX_CHANNEL_BYTES = 4 * 1024 * 1024;

/**
 * Assigns serials to the events of recoverable channels and stores the newest of each channel for replay.
 * Promises of every driver:
 * - Assigning a serial and storing its entry are atomic: every serial of a stream up to its newest was assigned once
 * and is readable immediately, until it expires or is evicted.
 * - A lost counter never restarts under its old stream id.
 * - If the store is unreachable, operations reject with `ReplayUnavailable`; the serial may have been assigned and
 * the entry stored. There is no fallback to a counter of this process.
 */
export interface Replay {
  /** Everything but `range` and `renew` is done at once. */
  readonly isAtOnce: boolean;
  /** At once where nothing has to be waited for. */
  append(entry: NewReplayEntry): Promise<StreamPosition> | StreamPosition;
  /** Returns the positions of channels, in request order. A channel without a stream gets a new one. */
  heads(places: readonly ReplayPlace[]): Promise<readonly StreamPosition[]> | readonly StreamPosition[];
  /** Entries from a serial on, those older than that left out. Null: the channel has no stream. */
  range(place: ReplayPlace, fromSerial: number, maxAgeMs: number): Promise<ReplayRange | null>;
  /** Begins a new stream, if the channel still has the one named. True: it did. */
  renew(place: ReplayPlace, streamId: string): Promise<boolean>;
  /** Reason why the store is unhealthy; null if healthy. Never rejects. */
  health(): Promise<string | null>;
  /** Idempotent. Afterwards every operation rejects. */
  close(): Promise<void>;
}

/** End of an event that the service accepted, now or earlier. */
export interface Accepted {
  readonly kind: 'accepted';
  /** Serial of the message of a publish; null if the channel has no versioned messages. */
  readonly messageSerial: string | null;
}

/** End of an event that is refused for good. */
export interface Dead {
  readonly kind: 'dead';
  readonly code: string;
  readonly status: number;
  readonly reason: string;
  /** Attempts that were made, at least 1 unless nothing was attempted. */
  readonly attempts: number;
}

/** The source gave the event up before its end, for example because its session was lost. */
export interface Abandoned {
  readonly kind: 'abandoned';
}

export type Outcome = Accepted | Dead | Abandoned;

/** The idle time after which a connection is sent a heartbeat. */
export const BEAT_MS = 7500;
/** A new token is requested this long before the old one expires, if its lifetime is long enough. */
export const BEFORE_END_MS = 30_000;

/** The timer-relevant state of a connection. */
export interface Pulse {
  /** The time since the last frame sent to it. */
  readonly silentMs: number;
  /** Until its token ends; Infinity: it never does. */
  readonly leftMs: number;
  /** Whether a new token was already requested, or its remaining lifetime at connect was too short for that. */
  readonly isAsked: boolean;
}

/** The action a connection needs: a heartbeat, a token request, or its end by an expired token. */
export type Need = 'beat' | 'ended' | 'ending';

/** Returns the action a connection needs now, or null if none. */
export function needOf({ silentMs, leftMs, isAsked }: Pulse): Need | null {
  if (leftMs <= 0) return 'ended';
  if (!isAsked && leftMs <= BEFORE_END_MS) return 'ending';
  return silentMs >= BEAT_MS ? 'beat' : null;
}

/** Returns the time until the next action if nothing else is sent. */
export const untilNeedMs = ({ silentMs, leftMs, isAsked }: Pulse): number =>
  Math.max(0, Math.min(BEAT_MS - silentMs, isAsked ? leftMs : leftMs - BEFORE_END_MS));

/** A silence after which a connection is told that it is not forgotten. */
export const BEAT_MS = 7500;
/** So long before its token ends it is asked for another, when that lives long enough to be worth it. */
export const BEFORE_END_MS = 30_000;

/** What is looked at of a connection. */
export interface Pulse {
  /** Since it was told anything. */
  readonly silentMs: number;
  /** Until its token ends; Infinity: it never does. */
  readonly leftMs: number;
  /** It was asked for another token already, or came with so little left that it is not. */
  readonly isAsked: boolean;
}

/** What a connection is told: that it is not forgotten, that its token ends, that it has ended. */
export type Need = 'beat' | 'ended' | 'ending';

/** What a connection needs now; null: nothing. */
export function needOf({ silentMs, leftMs, isAsked }: Pulse): Need | null {
  if (leftMs <= 0) return 'ended';
  if (!isAsked && leftMs <= BEFORE_END_MS) return 'ending';
  return silentMs >= BEAT_MS ? 'beat' : null;
}

/** How long it needs nothing if it is told nothing. */
export const untilNeedMs = ({ silentMs, leftMs, isAsked }: Pulse): number =>
  Math.max(0, Math.min(BEAT_MS - silentMs, isAsked ? leftMs : leftMs - BEFORE_END_MS));

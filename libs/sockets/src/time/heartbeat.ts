/**
 * How silent connections are treated: `asked` in the protocol's own words, without an end to their silence as long as they
 * answer; `pinged` natively, and ended after a long silence whatever the native library hears.
 */
export type HeartbeatKind = 'asked' | 'pinged';

/** Ticks of a wheel, after which things happen to a silent connection. */
export interface HeartbeatRules {
  /** Silence until it is asked for a sign of life. */
  readonly activityTicks: number;
  /** Time it has to give one. */
  readonly answerTicks: number;
  /** Time it has to authorize itself; Infinity: as long as it likes. */
  readonly authorizationTicks: number;
  /** Silence after which it is ended, whatever the native library hears; Infinity: never. */
  readonly idleTicks: number;
}

/** What a heartbeat looks at. */
export interface Pulse {
  readonly connectedTick: number;
  readonly activeTick: number;
  /** When it was asked for a sign of life, since when nothing came; 0: it was not. */
  readonly probedTick: number;
  readonly isAuthorized: boolean;
}

/** What a connection needs now, and when to look again. */
export type HeartbeatVerdict =
  | { readonly kind: 'wait'; readonly untilTick: number }
  | { readonly kind: 'probe' | 'no_answer' | 'not_authorized' | 'idle' };

const PROBE = { kind: 'probe' } as const;
const NO_ANSWER = { kind: 'no_answer' } as const;
const NOT_AUTHORIZED = { kind: 'not_authorized' } as const;
const IDLE = { kind: 'idle' } as const;

/** Judges one connection. Anything inbound is a sign of life, and a probe that had one is over. */
export function heartbeatVerdict(pulse: Pulse, rules: HeartbeatRules, tick: number): HeartbeatVerdict {
  const authorizeBy = pulse.isAuthorized ? Infinity : pulse.connectedTick + rules.authorizationTicks;
  if (tick >= authorizeBy) return NOT_AUTHORIZED;
  const idleAt = Math.max(pulse.activeTick, pulse.connectedTick) + rules.idleTicks;
  if (tick >= idleAt) return IDLE;
  const isProbed = pulse.probedTick > 0 && pulse.activeTick < pulse.probedTick;
  const due = isProbed
    ? pulse.probedTick + rules.answerTicks
    : Math.max(pulse.activeTick, pulse.connectedTick) + rules.activityTicks;
  // It may answer a probe and be silent again before the time to answer is over.
  if (tick < due)
    return { kind: 'wait', untilTick: Math.min(due, authorizeBy, idleAt, tick + rules.activityTicks) };
  return isProbed ? NO_ANSWER : PROBE;
}

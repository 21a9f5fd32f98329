/**
 * The heartbeat policy. `asked`: protocol-level pings, without an idle limit while the client answers. `pinged`:
 * native WebSocket pings, and the connection ends after a long silence even if pongs arrive.
 */
export type HeartbeatKind = 'asked' | 'pinged';

/** Ticks of a wheel, after which things happen to a silent connection. */
export interface HeartbeatRules {
  /** Idle ticks until a ping is sent. */
  readonly activityTicks: number;
  /** Time it has to give one. */
  readonly answerTicks: number;
  /** Time it has to authorize itself; Infinity: as long as it likes. */
  readonly authorizationTicks: number;
  /** Idle ticks until the connection is closed, regardless of native pongs; Infinity means never. */
  readonly idleTicks: number;
}

/** The connection state that heartbeats depend on. */
export interface Pulse {
  readonly connectedTick: number;
  readonly activeTick: number;
  /** The tick of the last unanswered ping; 0 if none is outstanding. */
  readonly probedTick: number;
  readonly isAuthorized: boolean;
}

/** The action a connection needs now, and the tick of the next check. */
export type HeartbeatVerdict =
  | { readonly kind: 'wait'; readonly untilTick: number }
  | { readonly kind: 'probe' | 'no_answer' | 'not_authorized' | 'idle' };

const PROBE = { kind: 'probe' } as const;
const NO_ANSWER = { kind: 'no_answer' } as const;
const NOT_AUTHORIZED = { kind: 'not_authorized' } as const;
const IDLE = { kind: 'idle' } as const;

/** Returns the verdict for one connection. Any inbound frame counts as activity and answers an outstanding probe. */
export function heartbeatVerdict(pulse: Pulse, rules: HeartbeatRules, tick: number): HeartbeatVerdict {
  const authorizeBy = pulse.isAuthorized ? Infinity : pulse.connectedTick + rules.authorizationTicks;
  if (tick >= authorizeBy) return NOT_AUTHORIZED;
  const idleAt = Math.max(pulse.activeTick, pulse.connectedTick) + rules.idleTicks;
  if (tick >= idleAt) return IDLE;
  const isProbed = pulse.probedTick > 0 && pulse.activeTick < pulse.probedTick;
  const due = isProbed
    ? pulse.probedTick + rules.answerTicks
    : Math.max(pulse.activeTick, pulse.connectedTick) + rules.activityTicks;
  // It may answer a probe and become idle again before the probe's timeout.
  if (tick < due)
    return { kind: 'wait', untilTick: Math.min(due, authorizeBy, idleAt, tick + rules.activityTicks) };
  return isProbed ? NO_ANSWER : PROBE;
}

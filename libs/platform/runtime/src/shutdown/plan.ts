/**
 * Phases of a stop, in order. `drain`: load balancers notice, nothing is closed. `close`: sockets are closed.
 * `membership`: effects of their leaving are reported. `flush`: requests, batches and leased jobs are finished.
 * `leave`: the other nodes are notified and the broker is left. `disconnect`: caches, databases and telemetry, which
 * all others may need.
 */
const SHUTDOWN_PHASES = ['drain', 'close', 'membership', 'flush', 'leave', 'disconnect'] as const;

export type ShutdownPhase = (typeof SHUTDOWN_PHASES)[number];

export interface ShutdownOptions {
  /** Seconds. */
  readonly shutdown_grace_period: number;
  readonly drain: {
    /** Null or absent: 5 s, or a third of the grace period when that is less. */
    readonly delay_ms?: number | null;
  };
  readonly queue_shutdown_timeout_ms: number;
  /** Api nodes have no sockets: they skip `close` and `membership`. */
  readonly server_role: 'default' | 'api';
}

export interface ShutdownPlan {
  /** The least time `drain` takes. */
  readonly drainMs: number;
  /** Time from the end of `drain` to the end of the grace period. */
  readonly closingMs: number;
  /** From the first signal to a forced exit. */
  readonly totalMs: number;
  /** Time limit of the work of each phase. */
  readonly boundMs: Readonly<Record<ShutdownPhase, number>>;
  readonly phases: readonly ShutdownPhase[];
}

const LONGEST_DRAIN_MS = 5000;
const BEYOND_QUEUE_MS = 5000;
/** The last batch of sockets is closed at the end of the grace period; its close handlers still have to run. */
const CLOSE_SLACK_MS = 1000;

export function shutdownPlan(options: ShutdownOptions): ShutdownPlan {
  const graceMs = options.shutdown_grace_period * 1000;
  const drainMs = Math.min(
    options.drain.delay_ms ?? Math.min(LONGEST_DRAIN_MS, Math.floor(graceMs / 3)),
    graceMs,
  );
  const closingMs = graceMs - drainMs;
  return {
    drainMs,
    closingMs,
    totalMs: graceMs + options.queue_shutdown_timeout_ms + BEYOND_QUEUE_MS,
    boundMs: {
      drain: drainMs,
      close: closingMs + CLOSE_SLACK_MS,
      membership: 5000,
      flush: 5000,
      leave: 2000,
      disconnect: 2000,
    },
    phases:
      options.server_role === 'api'
        ? SHUTDOWN_PHASES.filter((phase) => phase !== 'close' && phase !== 'membership')
        : SHUTDOWN_PHASES,
  };
}

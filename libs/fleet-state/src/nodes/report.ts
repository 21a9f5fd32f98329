import {
  integer,
  list,
  nullable,
  object,
  oneOf,
  optional,
  text,
  type Infer,
  type Shape,
} from '@carillon/contracts';

const MAX_DEPENDENCIES = 64;
const count = integer(0);

const amount: Shape<number> = (value) =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0
    ? null
    : 'must be a number that is not negative';

/** State of one dependency, as one process sees it. */
const DEPENDENCY = object({
  name: text(1, 64),
  state: oneOf('up', 'degraded', 'down'),
  latency_ms: nullable(amount),
  /** A class of failure, never the text of another system. */
  error: nullable(text(1, 64)),
});

/** What a process reports about itself. It holds no address. */
export const NODE_REPORT = object({
  node_id: text(1, 160),
  role: text(1, 64),
  version: text(1, 64),
  state: oneOf('starting', 'ready', 'draining'),
  started_at_ms: count,
  reported_at_ms: count,
  cpu: amount,
  event_loop_lag_ms: object({ p50: amount, p99: amount }),
  memory: object({ rss: count, heap_used: count, limit: nullable(count) }),
  connections: count,
  channels: count,
  messages_per_second: object({ in: amount, out: amount }),
  dependencies: list(DEPENDENCY, 0, MAX_DEPENDENCIES),
  /** Interval of the reports of this process. Absent: 5 s. */
  interval_ms: optional(integer(1)),
});

export type NodeReport = Infer<typeof NODE_REPORT>;
export type Dependency = Infer<typeof DEPENDENCY>;

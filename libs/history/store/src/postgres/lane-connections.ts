/**
 * Session settings of connections for commits and purges. A new partition has no statistics, and a plan that scans it
 * would be cached; hence sequential scans are disabled. The time limits a lock wait and an idle transaction.
 */
export const laneConnections = (timeoutMs: number): readonly string[] => [
  'set session characteristics as transaction isolation level read committed',
  `set lock_timeout = ${timeoutMs}`,
  `set idle_in_transaction_session_timeout = ${timeoutMs}`,
  'set plan_cache_mode = force_generic_plan',
  'set enable_seqscan = off',
  'set enable_hashjoin = off',
  'set enable_mergejoin = off',
  'set jit = off',
];

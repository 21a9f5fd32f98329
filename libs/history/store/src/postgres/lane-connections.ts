/**
 * What sets up a connection on which batches are committed and purged. A new part of a table has no statistics, and a
 * plan that scans it would stay; so scans are not to be considered. The time is that of one lock, and of one silence
 * inside a transaction.
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

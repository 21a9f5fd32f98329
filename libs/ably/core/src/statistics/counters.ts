/** Runtime counters of the Ably API since the process started. */
const NAMES = [
  'queued_messages',
  'queued_bytes',
  'overflow',
  'continuity_lost',
  'data_encoded',
  'encoded',
  'fanout',
  'replay_source',
  'recovery_backend_calls',
  'duplicate_suppression',
  'backend_failure',
  'degraded_state',
  'reset_required',
  'expiry',
  'filter_cache_hits',
  'filter_cache_misses',
  'filter_cache_evictions',
  'filter_cache_entries',
  'filter_cache_bytes',
] as const;

export type CounterName = (typeof NAMES)[number];

/** Counters of this process, for operators. */
export class RuntimeCounters {
  readonly #values = new Map<CounterName, number>(NAMES.map((name) => [name, 0]));
  readonly #gauges = new Map<CounterName, () => number>();

  add(name: CounterName, amount = 1): void {
    this.#values.set(name, (this.#values.get(name) ?? 0) + amount);
  }

  /** Registers a value that is read on demand. */
  gauge(name: CounterName, read: () => number): void {
    this.#gauges.set(name, read);
  }

  get values(): Readonly<Record<CounterName, number>> {
    const entries = NAMES.map((name) => [name, this.#gauges.get(name)?.() ?? this.#values.get(name) ?? 0]);
    return Object.fromEntries(entries) as Record<CounterName, number>;
  }
}

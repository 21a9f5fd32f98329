/** Entries with a time to live that processes share. */
export interface LeaseStore {
  setIfAbsent(name: string, value: string, ttlMs: number): Promise<boolean>;
  compareAndSwap(name: string, expected: string, value: string, ttlMs: number): Promise<boolean>;
  compareAndRemove(name: string, expected: string): Promise<boolean>;
}

const TTL_MS = 5000;

/** The right to be the one process that consumes a source in order. */
export class ProcessLease {
  #renewedAtMs = -Infinity;

  constructor(
    private readonly store: LeaseStore,
    source: string,
    private readonly processId: string,
    private readonly name = `ingest:lease:${source}`,
  ) {}

  /** Whether the lease is held: a lease that could not be renewed ends before others can take it. */
  get isHeld(): boolean {
    return performance.now() - this.#renewedAtMs < TTL_MS - 1000;
  }

  /** Takes or renews it. The same process id takes its own lease over immediately. Never rejects. */
  async take(): Promise<boolean> {
    const askedAtMs = performance.now();
    const { store, name, processId } = this;
    try {
      const isOurs =
        (await store.compareAndSwap(name, processId, processId, TTL_MS)) ||
        (await store.setIfAbsent(name, processId, TTL_MS));
      if (isOurs) this.#renewedAtMs = askedAtMs;
      return isOurs;
    } catch {
      return false;
    }
  }

  /** Never rejects: the lease lapses by itself. */
  async release(): Promise<void> {
    this.#renewedAtMs = -Infinity;
    await this.store.compareAndRemove(this.name, this.processId).catch(() => false);
  }
}

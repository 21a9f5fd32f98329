import type { SourceStatus } from '@carillon/ingest-source';
import type { Metrics } from '@carillon/runtime';

/** The metrics of one source. */
export class SourceMeters {
  readonly #accepted;
  readonly #duplicate;
  readonly #dead;
  readonly #inFlight;
  readonly #latency;
  readonly #queries;
  #open = 0;

  constructor(
    private readonly metrics: Metrics,
    private readonly source: string,
  ) {
    const events = metrics.counter('ingest_events_total');
    this.#accepted = events.for({ source, outcome: 'accepted' });
    this.#duplicate = events.for({ source, outcome: 'duplicate' });
    this.#dead = events.for({ source, outcome: 'dead' });
    this.#inFlight = metrics.gauge('ingest_in_flight').for({ source });
    this.#latency = metrics.histogram('ingest_publish_latency_ms').for({ source });
    this.#queries = metrics.counter('ingest_queries_total').for({ source });
  }

  started(): void {
    this.#inFlight.set((this.#open += 1));
  }

  ended(): void {
    this.#inFlight.set((this.#open -= 1));
  }

  accepted(atMs: number, isDuplicate: boolean): void {
    (isDuplicate ? this.#duplicate : this.#accepted).add();
    this.#latency.observe(Math.max(0, Date.now() - atMs));
  }

  dead(code: string): void {
    this.#dead.add();
    this.metrics.counter('ingest_dead_letters_total').for({ source: this.source, code }).add();
  }

  skipped(): void {
    this.metrics.counter('ingest_events_total').for({ source: this.source, outcome: 'skipped' }).add();
  }

  retried(code: string): void {
    this.metrics.counter('ingest_retries_total').for({ source: this.source, code }).add();
  }

  counted(): void {
    this.#queries.add();
  }

  /** Shows the state of the source; runs before every scrape. */
  show({ problem, partitionsOwned, lagRows, lagSeconds, deadLetters }: SourceStatus): void {
    const { metrics, source } = this;
    metrics
      .gauge('ingest_source_up')
      .for({ source })
      .set(problem === null ? 1 : 0);
    metrics.gauge('ingest_partitions_owned').for({ source }).set(partitionsOwned);
    metrics.gauge('ingest_lag_rows').for({ source }).set(lagRows);
    metrics.gauge('ingest_lag_seconds').for({ source }).set(lagSeconds);
    if (deadLetters !== null) metrics.gauge('ingest_dead_letters').for({ source }).set(deadLetters);
  }
}

import type { CounterSeries, Metrics } from '@carillon/runtime';

/**
 * Counts how messages of one namespace of an app are sent to subscribers with deltas enabled. Sizes are in
 * characters, approximately bytes.
 */
export class DeltaMeters {
  readonly #enabled: CounterSeries;
  readonly #full: CounterSeries;
  readonly #deltas: CounterSeries;
  readonly #original: CounterSeries;
  readonly #saved: CounterSeries;
  /** Number of computed deltas. */
  encodings = 0;

  constructor(metrics: Metrics, labels: { readonly app_id: string; readonly channel_name: string }) {
    this.#enabled = metrics.counter('horizontal_delta_compression_enabled_total').for(labels);
    this.#full = metrics.counter('delta_compression_full_messages_total').for(labels);
    this.#deltas = metrics.counter('delta_compression_delta_messages_total').for(labels);
    this.#original = metrics.counter('delta_compression_bandwidth_original_bytes').for(labels);
    this.#saved = metrics.counter('delta_compression_bandwidth_saved_bytes').for(labels);
  }

  /** A subscriber enabled deltas. */
  enabled(): void {
    this.#enabled.add();
  }

  full(length: number): void {
    this.#full.add();
    this.#original.add(length);
  }

  delta(length: number, sentLength: number): void {
    this.#deltas.add();
    this.#original.add(length);
    this.#saved.add(Math.max(0, length - sentLength));
  }

  encoded(): void {
    this.encodings += 1;
  }
}

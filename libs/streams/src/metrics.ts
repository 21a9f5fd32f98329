import type { Metrics } from '@carillon/runtime';
import type { StreamForm } from './transport/stream-form.js';

/** Why a stream was refused, as the metric calls it. */
export type RefusalLabel =
  | 'draining'
  | 'memory'
  | 'rate_limited'
  | 'invalid'
  | 'app'
  | 'origin'
  | 'capacity'
  | 'quota'
  | 'token'
  | 'channel'
  | 'unavailable'
  | 'stopped';

/** App label of requests without a known app: names that clients make up must not become label values. */
const NO_APP = 'unknown';

/** Metrics of HTTP streams. */
export class StreamMetrics {
  #blocks = 0;
  #bytes = 0;

  constructor(private readonly metrics: Metrics) {
    const blocks = metrics.counter('http_streams_blocks_total').for();
    const bytes = metrics.counter('http_streams_sent_bytes_total').for();
    metrics.onScrape(() => {
      blocks.add(this.#blocks);
      bytes.add(this.#bytes);
      this.#blocks = this.#bytes = 0;
    });
  }

  /** Counted here and shown at a scrape: this is on the path of every message. */
  sent(blocks: number, bytes: number): void {
    this.#blocks += blocks;
    this.#bytes += bytes;
  }

  opened(appId: string, form: StreamForm): void {
    this.metrics.gauge('http_streams_open').for({ app_id: appId, form }).add();
    this.metrics.counter('http_streams_opened_total').for({ app_id: appId, form }).add();
  }

  closed(appId: string, form: StreamForm): void {
    this.metrics.gauge('http_streams_open').for({ app_id: appId, form }).subtract();
  }

  refused(appId: string | null, reason: RefusalLabel, isSoft: boolean): void {
    const labels = { app_id: appId ?? NO_APP, reason, soft: String(isSoft) };
    this.metrics.counter('http_streams_refused_total').for(labels).add();
  }

  /** @param outcome `resumed`, or the code of the failure */
  resumed(appId: string, outcome: string): void {
    this.metrics.counter('http_streams_resumes_total').for({ app_id: appId, outcome }).add();
  }

  received(appId: string, outcome: 'applied' | 'duplicate' | 'gap', frames: number): void {
    if (frames > 0)
      this.metrics.counter('http_streams_frames_received_total').for({ app_id: appId, outcome }).add(frames);
  }

  forwarded(appId: string, outcome: 'not_found' | 'ok' | 'timeout'): void {
    this.metrics.counter('http_streams_forwarded_total').for({ app_id: appId, outcome }).add();
  }
}

import type { Cache } from '@carillon/cache';
import type { Config } from '@carillon/config';
import { Buckets } from './buckets.js';
import type { Entries } from './entries.js';
import { readFixtures } from './fixtures.js';
import { readStats, type StatsPage, type StatsQuery } from './query.js';
import { type Aggregation, Recorder } from './recorder.js';

/** By which way something came or went. */
export type StatsWay = 'realtime' | 'rest';

/** What apps do through these clients, minute by minute. */
export class Statistics {
  readonly #buckets: Buckets;
  readonly #recorder: Recorder;
  readonly #open = new Map<string, number>();

  constructor(
    cache: Pick<Cache, 'compareAndSwap' | 'get' | 'setIfAbsent'>,
    private readonly settings: Config['compat'],
    private readonly isTls: boolean,
  ) {
    this.#buckets = new Buckets(cache, {
      retentionMs: settings.stats_retention_seconds * 1000,
      retries: settings.stats_cas_retries,
    });
    this.#recorder = new Recorder(this.#buckets, {
      capacity: settings.stats_queue_capacity,
      flushMs: settings.stats_flush_interval_ms,
    });
  }

  /** Without waiting for it. */
  observe(appId: string, entries: Entries): void {
    this.#recorder.observe(appId, entries);
  }

  /** Messages that came in; resolves when they are counted, or after a while all the same. */
  inbound(appId: string, way: StatsWay, count: number, bytes: number): Promise<void> {
    const name = `messages.inbound.${way}.messages`;
    return this.#recorder.written(appId, { [`${name}.count`]: count, [`${name}.data`]: bytes });
  }

  outbound(appId: string, way: StatsWay, count: number, bytes: number): void {
    const name = `messages.outbound.${way}.messages`;
    this.observe(appId, { [`${name}.count`]: count, [`${name}.data`]: bytes });
  }

  /** A connection of this process began or ended. */
  connection(appId: string, change: 1 | -1): void {
    const open = (this.#open.get(appId) ?? 0) + change;
    if (open > 0) this.#open.set(appId, open);
    else this.#open.delete(appId);
    const what = change > 0 ? 'opened' : 'closed';
    const kinds = ['all', this.isTls ? 'tls' : 'plain'];
    this.observe(
      appId,
      Object.fromEntries(
        kinds.flatMap((kind) => [
          [`connections.${kind}.${what}`, 1],
          [`connections.${kind}.peak`, open],
        ]),
      ),
    );
  }

  read(query: StatsQuery, nowMs: number): Promise<StatsPage> {
    return readStats(this.#buckets, query, { maxScan: this.settings.stats_max_scan_entries, nowMs });
  }

  /** Null: nobody may make them up here. Rejects with CompatError, and puts none in place when one is wrong. */
  get replaced(): ((appId: string, body: unknown) => Promise<void>) | null {
    if (!this.settings.stats_fixture_ingest_enabled) return null;
    return async (appId, body) => {
      for (const { startMs, entries } of readFixtures(body))
        await this.#buckets.replace(appId, startMs, entries);
    };
  }

  get retentionMs(): number {
    return this.settings.stats_retention_seconds * 1000;
  }

  get aggregation(): Aggregation {
    return this.#recorder.aggregation;
  }
}

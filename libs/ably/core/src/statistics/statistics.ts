import { randomUUID } from 'node:crypto';
import type { Cache } from '@carillon/cache';
import type { Config } from '@carillon/config';
import { Buckets } from './buckets.js';
import { type Entries, merged, peakOf } from './entries.js';
import { readFixtures } from './fixtures.js';
import { type LevelName, Levels } from './levels.js';
import type { Counted } from './measured.js';
import { readStats, type StatsPage, type StatsQuery } from './query.js';
import { type Aggregation, Recorder } from './recorder.js';
import { Tallies } from './tallies.js';

/** The transport of an operation. */
export type StatsWay = 'realtime' | 'rest';

/**
 * Shortly after a minute begins, every process reports its gauge values, so that every minute has a peak. Processes
 * are staggered, because they write the same entry.
 */
const MINUTE_MS = 60_000;
const SOON_MS = 5000;

/** Per-minute statistics of app activity through Ably clients. */
export class Statistics {
  readonly #buckets: Buckets;
  readonly #recorder: Recorder;
  readonly #tallies: Tallies;
  readonly #levels = new Levels();
  readonly #kinds: Readonly<Record<LevelName, readonly string[]>>;
  #timer: NodeJS.Timeout;

  constructor(
    cache: Pick<Cache, 'compareAndSwap' | 'get' | 'setIfAbsent'>,
    private readonly settings: Config['compat'],
    isTls: boolean,
  ) {
    this.#buckets = new Buckets(cache, {
      process: randomUUID(),
      retentionMs: settings.stats_retention_seconds * 1000,
      retries: settings.stats_cas_retries,
    });
    const flushMs = settings.stats_flush_interval_ms;
    const recorder = new Recorder(this.#buckets, { capacity: settings.stats_queue_capacity, flushMs });
    this.#recorder = recorder;
    this.#kinds = {
      channels: ['channels'],
      connections: ['connections.all', isTls ? 'connections.tls' : 'connections.plain'],
    };
    this.#tallies = new Tallies(flushMs, (appId, entries) => {
      const levels = this.#levels.now(appId, this.#kinds);
      recorder.observe(appId, { entries: merged(entries, levels), levels });
    });
    this.#timer = this.#nextLook();
  }

  /** Without waiting for it, and at no more cost than an addition. */
  observe(appId: string, entries: Entries): void {
    for (const [name, value] of Object.entries(entries)) this.#tallies.add(appId, name, value);
  }

  /** Counts inbound messages; resolves when they are counted or after a timeout. */
  inbound(appId: string, way: StatsWay, { count, bytes }: Counted): Promise<void> {
    const name = `messages.inbound.${way}.messages`;
    return this.#recorder.written(appId, { [`${name}.count`]: count, [`${name}.data`]: bytes });
  }

  outbound(appId: string, way: StatsWay, { count, bytes }: Counted): void {
    this.#count(appId, `messages.outbound.${way}.messages`, { count, bytes });
  }

  /** Counts members that entered, updated or left. */
  presence(appId: string, direction: 'inbound' | 'outbound', counted: Counted): void {
    this.#count(appId, `messages.${direction}.realtime.presence`, counted);
  }

  /** Counts those that are stored in the presence history. */
  persistedPresence(appId: string, counted: Counted): void {
    this.#count(appId, 'persisted.presence', counted);
  }

  /** Counts a push request and whether it was accepted; its delivery is counted by the push service. */
  push(appId: string, isTaken: boolean, { count, bytes }: Counted): void {
    const outcome = isTaken ? 'succeeded' : 'failed';
    this.observe(appId, { [`push.${outcome}`]: 1, 'push.recipients': count, 'push.data': bytes });
  }

  /** There is one more in this process, or one less. */
  level(appId: string, name: LevelName, change: 1 | -1): void {
    const level = this.#levels.change(appId, name, change);
    for (const kind of this.#kinds[name]) {
      this.#tallies.add(appId, `${kind}.${change > 0 ? 'opened' : 'closed'}`, 1);
      if (change > 0) this.#tallies.add(appId, peakOf(kind), level);
    }
  }

  /** Writes pending observations and stops sampling gauges. May be called again to write later observations. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#tallies.flush();
    await this.#recorder.settled();
  }

  read(query: StatsQuery, nowMs: number): Promise<StatsPage> {
    return readStats(this.#buckets, query, { maxScan: this.settings.stats_max_scan_entries, nowMs });
  }

  /**
   * The fixture import, or null if it is disabled. It rejects with CompatError and stores nothing if a fixture is
   * invalid.
   */
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

  #count(appId: string, name: string, { count, bytes }: Counted): void {
    this.#tallies.add(appId, `${name}.count`, count);
    this.#tallies.add(appId, `${name}.data`, bytes);
  }

  #nextLook(): NodeJS.Timeout {
    const untilNextMs = MINUTE_MS - (Date.now() % MINUTE_MS);
    return setTimeout(
      () => {
        for (const appId of this.#levels.appIds) this.observe(appId, this.#levels.now(appId, this.#kinds));
        this.#timer = this.#nextLook();
      },
      untilNextMs + Math.random() * SOON_MS,
    ).unref();
  }
}

import { memoryUsage, type MemoryNumbers } from '../memory-usage.js';
import { collectApps, totalsOf, type AppStatistics, type Totals } from './occupancy.js';
import type { HistoryHealth, HistoryHealthSource, OccupancySource } from './sources.js';

/** The body of `/usage`. */
export interface UsageBody {
  readonly memory: MemoryNumbers;
  readonly process: {
    readonly rss: number;
    readonly heap_used: number;
    readonly heap_total: number;
    readonly external: number;
  };
}

export function usageBody(): UsageBody {
  const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
  return { memory: memoryUsage(), process: { rss, heap_used: heapUsed, heap_total: heapTotal, external } };
}

/** The body of `/stats` and `/operator/stats`: this node only. */
export interface StatisticsBody {
  /** Present only on api nodes. */
  readonly server_role?: 'api';
  readonly memory: MemoryNumbers;
  readonly history: HistoryHealth;
  readonly presence_history: HistoryHealth;
  readonly totals: Totals;
  readonly apps: readonly AppStatistics[];
}

/** Gathers the statistics of this node; requests that come while they are being counted share the count. */
export class Statistics {
  #running: Promise<StatisticsBody> | null = null;

  constructor(
    private readonly serverRole: 'default' | 'api',
    private readonly occupancy: OccupancySource,
    private readonly history: HistoryHealthSource,
  ) {}

  read(): Promise<StatisticsBody> {
    this.#running ??= this.#collect().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #collect(): Promise<StatisticsBody> {
    const apps = await collectApps(this.occupancy);
    return {
      ...(this.serverRole === 'api' ? { server_role: 'api' as const } : {}),
      memory: memoryUsage(),
      history: this.history.history(),
      presence_history: this.history.presenceHistory(),
      totals: totalsOf(apps),
      apps,
    };
  }
}

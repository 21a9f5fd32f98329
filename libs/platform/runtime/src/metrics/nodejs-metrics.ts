import { constants, monitorEventLoopDelay, performance, PerformanceObserver } from 'node:perf_hooks';
import type { Metrics } from './metrics.js';

/**
 * Interval of the delay monitor, included in its measurement. Each tick wakes an idle process: at 10 ms, ticks were
 * nearly half of its work.
 */
const RESOLUTION_MS = 40;

const GC_KINDS: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
};

/** Shows how busy the event loop and the heap are. Returns how to stop watching. */
export function showNodejsMetrics(metrics: Metrics): () => void {
  const stopCollections = watchCollections(metrics);
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const lag = metrics.gauge('nodejs_eventloop_lag_seconds').for();
  const utilization = metrics.gauge('nodejs_eventloop_utilization').for();
  const heap = metrics.gauge('nodejs_heap_used_bytes').for();
  let before = performance.eventLoopUtilization();
  metrics.onScrape(() => {
    const measuredMs = delay.percentile(99) / 1e6;
    lag.set(Math.max(0, measuredMs - RESOLUTION_MS) / 1000);
    delay.reset();
    const now = performance.eventLoopUtilization();
    utilization.set(performance.eventLoopUtilization(now, before).utilization);
    before = now;
    heap.set(process.memoryUsage().heapUsed);
  });
  return () => {
    delay.disable();
    stopCollections();
  };
}

function watchCollections(metrics: Metrics): () => void {
  const collections = metrics.histogram('nodejs_gc_duration_seconds');
  for (const kind of Object.values(GC_KINDS)) collections.for({ kind });
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const kind = (entry as { detail?: { kind?: number } }).detail?.kind ?? 0;
      collections.for({ kind: GC_KINDS[kind] ?? 'other' }).observe(entry.duration / 1000);
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  return () => observer.disconnect();
}

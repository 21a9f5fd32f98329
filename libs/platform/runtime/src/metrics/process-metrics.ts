import { readdir, readFile } from 'node:fs/promises';
import { pageSizeBytes } from '../admission/page-size.js';
import type { Metrics } from './metrics.js';

/** Text of a file, or null where the kernel does not offer it. */
const text = (path: string): Promise<string | null> => readFile(path, 'utf8').catch(() => null);

const STARTED_SECONDS = Date.now() / 1000 - process.uptime();

/** Exposes the standard process gauges. A gauge that the system does not supply (not Linux) is omitted. */
export async function showProcessMetrics(metrics: Metrics): Promise<void> {
  metrics.gauge('process_start_time_seconds').for().set(STARTED_SECONDS);
  const resident = metrics.gauge('process_resident_memory_bytes').for();
  const processor = metrics.counter('process_cpu_seconds_total').for();
  metrics.onScrape(() => {
    const { user, system } = process.cpuUsage();
    processor.value = (user + system) / 1e6;
    resident.set(process.memoryUsage.rss());
  });
  await showLinuxMetrics(metrics);
}

async function showLinuxMetrics(metrics: Metrics): Promise<void> {
  const maximum = Number((await text('/proc/self/limits'))?.match(/^Max open files\s+(\d+)/m)?.[1]);
  if (Number.isFinite(maximum)) metrics.gauge('process_max_fds').for().set(maximum);
  const pageBytes = pageSizeBytes();
  if ((await text('/proc/self/statm')) === null || pageBytes === null) return;
  const virtual = metrics.gauge('process_virtual_memory_bytes').for();
  const descriptors = metrics.gauge('process_open_fds').for();
  metrics.onScrape(async () => {
    const [statm, open] = await Promise.all([
      text('/proc/self/statm'),
      readdir('/proc/self/fd').catch(() => []),
    ]);
    virtual.set(Number(statm?.split(' ')[0]) * pageBytes || 0);
    // Listing the folder itself holds one descriptor open.
    descriptors.set(Math.max(0, open.length - 1));
  });
}

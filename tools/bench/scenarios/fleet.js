import { ACROSS, ALONE, fleetLoad } from '../load/fleet-load.js';
import {
  deliveryMetrics,
  failedRow,
  latencyMetrics,
  latencyRows,
  missingRow,
  unitMetrics,
} from './metrics.js';

/** @param {import('./metrics.js').Measured} measured */
const deliveries = (measured) => unitMetrics(measured, measured.counts['received'] ?? 0);

/** What it costs that publisher and subscribers are at two nodes. @type {import('./metrics.js').Scenario} */
export const fleet = {
  name: 'fleet',
  summary: 'publishes to one node for subscribers at another, beside the same at a single process',
  defaults: { connections: 10, channels: 1, rate: 2000 },
  needs: 'secret',
  several: true,
  load: fleetLoad,
  phases: ({ rate }) => [ALONE, ACROSS].map((name) => ({ name, rate: () => rate })),
  rows: [
    { key: 'per_second', title: 'deliveries per second', digits: 0 },
    { key: 'cpu_us', title: 'CPU µs per delivery, both nodes', digits: 2, compare: true, headline: true },
    { key: 'alone_cpu_us', title: 'CPU µs per delivery, one process', digits: 2, compare: true },
    { key: 'across_cost', title: 'the first, of the second', digits: 2 },
    { key: 'alone_p50_ms', title: 'latency p50, one process, ms', digits: 3, compare: true },
    { key: 'alone_p99_ms', title: 'latency p99, one process, ms', digits: 3, compare: true },
    ...latencyRows,
    missingRow,
    failedRow,
  ],
  metrics: ({ phases: [alone, across] }) => {
    if (alone === undefined || across === undefined) return {};
    const [one, two] = [deliveries(alone), deliveries(across)];
    const [early, late] = [latencyMetrics(alone), latencyMetrics(across)];
    const both = [alone, across].map(deliveryMetrics);
    const sum = (/** @type {string} */ key) => both.reduce((total, side) => total + (side[key] ?? 0), 0);
    return {
      ...two,
      alone_cpu_us: one['cpu_us'] ?? null,
      across_cost: one['cpu_us'] && two['cpu_us'] ? two['cpu_us'] / one['cpu_us'] : null,
      alone_p50_ms: early['p50_ms'] ?? null,
      alone_p99_ms: early['p99_ms'] ?? null,
      ...late,
      missing: sum('missing'),
      failed: sum('failed'),
    };
  },
};

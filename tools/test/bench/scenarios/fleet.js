import { ACROSS, ALONE, AT_ONE, fleetLoad } from '../load/fleet-load.js';
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

/** @param {number | null | undefined} cost @param {number | null | undefined} of */
const ratio = (cost, of) => (cost && of ? cost / of : null);

/** What it costs that publisher and subscribers are at two nodes. @type {import('./metrics.js').Scenario} */
export const fleet = {
  name: 'fleet',
  summary:
    'publishes to one node for subscribers at another, beside the same at one node and at a single process',
  defaults: { connections: 10, channels: 1, rate: 2000 },
  needs: 'secret',
  several: true,
  turns: 5,
  load: fleetLoad,
  phases: ({ rate }) => [ALONE, AT_ONE, ACROSS].map((name) => ({ name, rate: () => rate })),
  rows: [
    { key: 'per_second', title: 'deliveries per second', digits: 0 },
    { key: 'cpu_us', title: 'CPU µs per delivery, both nodes', digits: 2, compare: true, headline: true },
    { key: 'alone_cpu_us', title: 'CPU µs per delivery, one process', digits: 2, compare: true },
    { key: 'at_one_cpu_us', title: 'CPU µs per delivery, one node', digits: 2, compare: true },
    { key: 'across_cost', title: 'both nodes, of one process', digits: 2 },
    { key: 'second_node_cost', title: 'both nodes, of one node', digits: 2 },
    { key: 'alone_p50_ms', title: 'latency p50, one process, ms', digits: 3, compare: true },
    { key: 'alone_p99_ms', title: 'latency p99, one process, ms', digits: 3, compare: true },
    ...latencyRows,
    missingRow,
    failedRow,
  ],
  metrics: ({ phases: [alone, atOne, across] }) => {
    if (alone === undefined || atOne === undefined || across === undefined) return {};
    const [single, one, two] = [deliveries(alone), deliveries(atOne), deliveries(across)];
    const [early, late] = [latencyMetrics(alone), latencyMetrics(across)];
    const told = [alone, atOne, across].map(deliveryMetrics);
    const sum = (/** @type {string} */ key) => told.reduce((total, phase) => total + (phase[key] ?? 0), 0);
    return {
      ...two,
      alone_cpu_us: single['cpu_us'] ?? null,
      at_one_cpu_us: one['cpu_us'] ?? null,
      across_cost: ratio(two['cpu_us'], single['cpu_us']),
      second_node_cost: ratio(two['cpu_us'], one['cpu_us']),
      alone_p50_ms: early['p50_ms'] ?? null,
      alone_p99_ms: early['p99_ms'] ?? null,
      ...late,
      missing: sum('missing'),
      failed: sum('failed'),
    };
  },
};

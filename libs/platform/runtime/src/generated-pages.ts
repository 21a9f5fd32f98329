import { METRIC_SECTIONS } from './metrics/metric-definitions.js';
import type { MetricRow } from './metrics/metric-row.js';

function line([name, { type, labels, help, buckets, prefixed }]: [string, MetricRow]): string {
  const shown = labels.length === 0 ? '–' : labels.map((label) => `\`${label}\``).join(', ');
  const bounds = buckets.length === 0 ? '–' : buckets.join(' ');
  return `| \`${prefixed ? 'service_' : ''}${name}\` | ${type} | ${shown} | ${help} | ${bounds} |`;
}

/** The metrics reference, written from the tables. */
export function generatedPages(): { path: string; content: string }[] {
  const sections = METRIC_SECTIONS.flatMap(([title, rows]) => [
    `## ${title}`,
    '',
    '| name | type | labels | meaning | buckets |',
    '|---|---|---|---|---|',
    ...Object.entries<MetricRow>(rows).map(line),
    '',
  ]);
  const content = [
    '# Metrics',
    '',
    'Generated from `libs/platform/runtime/src/metrics/rows`; do not edit.',
    '',
    'Names are shown with the default prefix (`metrics.prometheus.prefix`). A process shows the metrics of the parts',
    'it is composed of. `port` is the configured main port. No label ever holds a channel name, user id, socket id,',
    'message id, URL or error text; beyond 2000 label sets a metric counts further ones under `other`.',
    '',
    ...sections,
  ].join('\n');
  return [{ path: 'docs/reference/metrics.md', content }];
}

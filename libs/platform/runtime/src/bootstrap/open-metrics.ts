import { MetricsListener } from '../metrics/metrics-listener.js';
import { showNodejsMetrics } from '../metrics/nodejs-metrics.js';
import { showProcessMetrics } from '../metrics/process-metrics.js';
import { TcpExporter } from '../metrics/tcp-exporter.js';
import type { RuntimeParts } from '../runtime-module.js';

/** Opens the scrape endpoint and the exporter, when configured. Neither keeps the process from starting. */
export async function openMetrics(
  { config, logging, metrics, shutdown }: RuntimeParts,
  version: string,
): Promise<MetricsListener | null> {
  const { enabled, host, port, tcp_exporter } = config.metrics;
  if (!enabled) return null;
  metrics.gauge('build_info').for({ version, role: config.server_role }).set(1);
  await showProcessMetrics(metrics);
  const stopWatching = showNodejsMetrics(metrics);
  const log = logging.for('service::ops');
  const listener = new MetricsListener({ host, port }, metrics, log);
  await listener.start();
  const exporter = tcp_exporter.enabled ? new TcpExporter(tcp_exporter, metrics, log) : null;
  await exporter?.start();
  shutdown.onShutdown('disconnect', 'metrics', async () => {
    stopWatching();
    await Promise.all([listener.close(), exporter?.close()]);
  });
  return listener;
}

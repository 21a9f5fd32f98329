import type { Env } from './load/environment.js';
import type { Config } from './schema/index.js';

type Settings = Pick<Config, 'instance' | 'metrics'>;

/** A listener that every worker has for itself; all others are shared between them. */
export interface OwnListener {
  readonly path: string;
  readonly variable: string;
  readonly port: number;
}

/** The listeners that will be opened once per worker. Port 0 is left as it is: each takes a free one. */
export function ownListeners({ metrics }: Settings): readonly OwnListener[] {
  const { enabled, port, tcp_exporter: exporter } = metrics;
  const all = [
    { path: 'metrics.port', variable: 'METRICS_PORT', port, isOpen: enabled },
    {
      path: 'metrics.tcp_exporter.port',
      variable: 'METRICS_TCP_EXPORTER_PORT',
      port: exporter.port,
      isOpen: enabled && exporter.enabled,
    },
  ];
  return all.filter((one) => one.isOpen && one.port !== 0);
}

/** The process id of one worker. */
export const workerProcessId = ({ instance }: Settings, index: number): string =>
  `${instance.process_id}-${index}`;

/**
 * The variables that set one worker of several apart from its siblings, on top of the environment they share: its
 * process id is the configured one and its number, its own listeners are at the configured port plus its number.
 *
 * @param index from 0
 */
export function workerEnvironment(config: Settings, index: number): Env {
  const ports = ownListeners(config).map(({ variable, port }) => [variable, String(port + index)]);
  return { INSTANCE_PROCESS_ID: workerProcessId(config, index), ...Object.fromEntries(ports) };
}

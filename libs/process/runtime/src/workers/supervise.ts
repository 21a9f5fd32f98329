import { type Config, workerEnvironment } from '@carillon/config';
import type { Logging } from '../logging/logging.js';
import { shutdownPlan, type ShutdownOptions } from '../shutdown/plan.js';
import { Supervisor } from './supervisor.js';

export interface SuperviseOptions {
  readonly config: Config;
  /** The configuration file in use; null when there is none. */
  readonly source: string | null;
  readonly workers: number;
  readonly shutdown: ShutdownOptions;
  readonly logging: Logging;
}

/** A worker exits by itself when its budget ends; this much later it is known not to. */
const BEYOND_BUDGET_MS = 5000;

/** Runs this program as so many workers until a signal has stopped them; gives the exit code. */
export async function supervise(options: SuperviseOptions): Promise<number> {
  const { config, source, workers, logging, shutdown } = options;
  const script = process.argv[1] ?? '';
  const supervisor = new Supervisor({
    count: workers,
    program: (index) => ({
      script,
      args: source === null ? [] : ['--config', source],
      env: { ...process.env, ...workerEnvironment(config, index) },
    }),
    stopWithinMs: shutdownPlan(shutdown).totalMs + BEYOND_BUDGET_MS,
    log: logging.for('service::workers'),
  });
  const onSignal = (name: NodeJS.Signals): void => supervisor.signal(name);
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  process.on('SIGHUP', () => supervisor.readAgain());
  return supervisor.ended;
}

import { type Configured, workerEnvironment } from '@carillon/config';
import { thresholdFor } from '../logging/filter.js';
import type { Logging } from '../logging/logging.js';
import { shutdownPlan, type ShutdownOptions } from '../shutdown/plan.js';
import type { WorkersPlan } from './messages.js';

/** A worker exits by itself when its budget ends; after this additional time it is killed. */
const BEYOND_BUDGET_MS = 5000;

/** Returns the plan of a configuration for the supervisor. */
export function workersPlan(
  { config, source, workers }: Extract<Configured, { kind: 'run' }>,
  shutdown: ShutdownOptions,
  { settings: { format, colors, includeTarget, filter } }: Logging,
): WorkersPlan {
  return {
    plan: {
      args: source === null ? [] : ['--config', source],
      environments: Array.from({ length: workers }, (_, index) => workerEnvironment(config, index)),
      stopWithinMs: shutdownPlan(shutdown).totalMs + BEYOND_BUDGET_MS,
      lines: { format, colors, includeTarget, threshold: thresholdFor(filter, 'service::workers') },
    },
  };
}

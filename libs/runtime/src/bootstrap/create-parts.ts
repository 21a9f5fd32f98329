import type { Config } from '@carillon/config';
import { Admission } from '../admission/admission.js';
import { Health } from '../health/health.js';
import { createLogging } from '../logging/logging.js';
import { Metrics } from '../metrics/metrics.js';
import { ProcessState } from '../process-state.js';
import type { RuntimeParts } from '../runtime-module.js';
import { Shutdown } from '../shutdown/shutdown.js';
import { Startup } from '../startup.js';

/** Makes what exists once per process, from its configuration. Opens nothing. */
export function createParts(config: Config): RuntimeParts {
  const logging = createLogging({ debug: config.debug, ...config.logging });
  const log = logging.for('service::ops');
  const state = new ProcessState();
  const metrics = new Metrics({ prefix: config.metrics.prometheus.prefix, port: config.port, log });
  const shutdown = new Shutdown(
    {
      shutdown_grace_period: config.shutdown_grace_period,
      drain: config.drain,
      queue_shutdown_timeout_ms: config.queue.reliability.shutdown_timeout_ms,
      server_role: config.server_role,
    },
    { process: state, metrics, log, flushLog: () => logging.flush() },
  );
  return {
    admission: new Admission(config.http_api.accept_traffic, { process: state, metrics, log }),
    config,
    health: new Health(config, metrics, log),
    logging,
    metrics,
    process: state,
    shutdown,
    startup: new Startup(),
  };
}

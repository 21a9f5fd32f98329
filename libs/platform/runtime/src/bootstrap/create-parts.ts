import type { Config, Configured } from '@carillon/config';
import { currentSpan } from '@carillon/tracing';
import { Admission } from '../admission/admission.js';
import { Health } from '../health/health.js';
import { createLogging, type Logging } from '../logging/logging.js';
import type { LogSpan } from '../logging/record.js';
import { Metrics } from '../metrics/metrics.js';
import { ProcessState } from '../process-state.js';
import { Reloads } from '../reload/reloads.js';
import type { RuntimeParts } from '../runtime-module.js';
import type { ShutdownOptions } from '../shutdown/plan.js';
import { Shutdown } from '../shutdown/shutdown.js';
import { Startup } from '../startup.js';

/** Span ids of log lines of traced work. */
function loggedSpan(): LogSpan | undefined {
  const span = currentSpan();
  return span === undefined ? undefined : { name: span.name, trace_id: span.traceId };
}

export const configuredLogging = (config: Config): Logging =>
  createLogging({ debug: config.debug, ...config.logging }, { currentSpan: loggedSpan });

/** Options of the shutdown. */
export function shutdownOptions(config: Config): ShutdownOptions {
  return {
    shutdown_grace_period: config.shutdown_grace_period,
    drain: config.drain,
    queue_shutdown_timeout_ms: config.queue.reliability.shutdown_timeout_ms,
    server_role: config.server_role,
  };
}

/** Creates the parts that exist once per process, from its configuration, which `read` reads again. Opens nothing. */
export function createParts(config: Config, read?: () => Configured): RuntimeParts {
  const logging = configuredLogging(config);
  const log = logging.for('service::ops');
  const state = new ProcessState();
  const metrics = new Metrics({ prefix: config.metrics.prometheus.prefix, port: config.port, log });
  const shutdown = new Shutdown(shutdownOptions(config), {
    process: state,
    metrics,
    log,
    flushLog: () => logging.flush(),
  });
  return {
    admission: new Admission(config.http_api.accept_traffic, { process: state, metrics, log }),
    config,
    health: new Health(config, metrics, log),
    logging,
    metrics,
    process: state,
    reloads: new Reloads({
      config,
      log: logging.for('service::config'),
      ...(read === undefined ? {} : { read }),
    }),
    shutdown,
    startup: new Startup(),
  };
}

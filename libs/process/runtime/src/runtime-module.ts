import { Global, Module, type DynamicModule } from '@nestjs/common';
import type { Config } from '@carillon/config';
import type { Admission } from './admission/admission.js';
import type { Health } from './health/health.js';
import type { Logging } from './logging/logging.js';
import type { Metrics } from './metrics/metrics.js';
import type { ProcessState } from './process-state.js';
import type { Reloads } from './reload/reloads.js';
import type { Shutdown } from './shutdown/shutdown.js';
import type { Startup } from './startup.js';

export const ADMISSION = Symbol('admission');
export const CONFIG = Symbol('configuration');
export const HEALTH = Symbol('health');
export const LOGGING = Symbol('logging');
export const METRICS_REGISTRY = Symbol('metrics registry');
export const PROCESS_STATE = Symbol('process state');
export const RELOADS = Symbol('reloads of the configuration');
export const SHUTDOWN = Symbol('shutdown');
export const STARTUP = Symbol('startup');

/** Provided by the room that holds sockets; absent in a process without any. */
export const OCCUPANCY_SOURCE = Symbol('occupancy source');
/** Provided by the room that keeps history; absent in a process without any. */
export const HISTORY_HEALTH_SOURCE = Symbol('history health source');

/** What exists once per process and before any module does. */
export interface RuntimeParts {
  readonly admission: Admission;
  readonly config: Config;
  readonly health: Health;
  readonly logging: Logging;
  readonly metrics: Metrics;
  readonly process: ProcessState;
  readonly reloads: Reloads;
  readonly shutdown: Shutdown;
  readonly startup: Startup;
}

/** Offers the parts of the process to every module, by their tokens. */
@Global()
@Module({})
export class RuntimeModule {
  static forProcess(parts: RuntimeParts): DynamicModule {
    const providers = [
      { provide: ADMISSION, useValue: parts.admission },
      { provide: CONFIG, useValue: parts.config },
      { provide: HEALTH, useValue: parts.health },
      { provide: LOGGING, useValue: parts.logging },
      { provide: METRICS_REGISTRY, useValue: parts.metrics },
      { provide: PROCESS_STATE, useValue: parts.process },
      { provide: RELOADS, useValue: parts.reloads },
      { provide: SHUTDOWN, useValue: parts.shutdown },
      { provide: STARTUP, useValue: parts.startup },
    ];
    return { module: RuntimeModule, providers, exports: providers.map(({ provide }) => provide) };
  }
}

import { Global, Module, type DynamicModule } from '@nestjs/common';
import type { Config } from '@carillon/config';
import type { Admission } from './admission/admission.js';
import type { Health } from './health/health.js';
import type { Logging } from './logging/logging.js';
import type { Metrics } from './metrics/metrics.js';
import type { ProcessState } from './process-state.js';
import { token } from './provider.js';
import type { HistoryHealthSource, OccupancySource } from './statistics/sources.js';
import type { Reloads } from './reload/reloads.js';
import type { Shutdown } from './shutdown/shutdown.js';
import type { Startup } from './startup.js';

export const ADMISSION = token<Admission>('admission');
const CONFIG = token<Config>('configuration');
export const HEALTH = token<Health>('health');
export const LOGGING = token<Logging>('logging');
const METRICS_REGISTRY = token<Metrics>('metrics registry');
export const PROCESS_STATE = token<ProcessState>('process state');
export const RELOADS = token<Reloads>('reloads of the configuration');
export const SHUTDOWN = token<Shutdown>('shutdown');
export const STARTUP = token<Startup>('startup');

/** Provided by the room that holds sockets; absent in a process without any. */
export const OCCUPANCY_SOURCE = token<OccupancySource>('occupancy source');
/** Provided by the room that keeps history; absent in a process without any. */
export const HISTORY_HEALTH_SOURCE = token<HistoryHealthSource>('history health source');

/** Tokens of the parts of every process, by the names of `RuntimeParts`. */
export const RUNTIME = {
  admission: ADMISSION,
  config: CONFIG,
  health: HEALTH,
  logging: LOGGING,
  metrics: METRICS_REGISTRY,
  process: PROCESS_STATE,
  reloads: RELOADS,
  shutdown: SHUTDOWN,
  startup: STARTUP,
} as const;

/** Parts that exist once per process, created before any module. */
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
    const offered = Object.entries(RUNTIME) as [keyof RuntimeParts, symbol][];
    const providers = offered.map(([name, provide]) => ({ provide, useValue: parts[name] }));
    return { module: RuntimeModule, providers, exports: Object.values(RUNTIME) };
  }
}

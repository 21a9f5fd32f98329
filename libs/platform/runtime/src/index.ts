export { Admission, type AdmissionOptions, type AdmissionState } from './admission/admission.js';
export {
  type Decision,
  type LimitSource,
  type MemorySample,
  type MonitorState,
} from './admission/decision.js';
export { type MemoryReader } from './admission/memory-reader.js';
export { bootstrap } from './bootstrap/bootstrap.js';
export { type AppDefinition } from './bootstrap/app-definition.js';
export { serverOptions } from './bootstrap/http-options.js';
export { serviceVersion } from './bootstrap/version.js';
export { createParts } from './bootstrap/create-parts.js';
export { start } from './bootstrap/start.js';
export { setV8Flags } from './bootstrap/v8-flags.js';
export { Calls } from './calls.js';
export {
  connectDependencies,
  DependencyError,
  type ConnectOptions,
  type Dependency,
} from './dependencies/connect-dependencies.js';
export { FairSlots, SlotsFull, type FairSlotsOptions } from './fair/fair-slots.js';
export { type LoopClock, LoopShare, type LoopShareOptions } from './fair/loop-share.js';
export { Health, type HealthOptions, type HealthResult, type HealthStatus } from './health/health.js';
export { type HealthCheck, type HealthFailure, type Severity } from './health/health-check.js';
export { type Level } from './logging/levels.js';
export { Logger } from './logging/logger.js';
export { createLogging, Logging, type LoggingDependencies } from './logging/logging.js';
export { NestLogBridge } from './logging/nest-log-bridge.js';
export { type LogDestination, type LogFields, type LogSpan } from './logging/record.js';
export { errorText, scrub } from './logging/redaction.js';
export { type LoggingOptions } from './logging/settings.js';
export { memoryUsage, type MemoryNumbers } from './memory-usage.js';
export { type LabelValues } from './metrics/cells.js';
export { METRICS, type MetricLabels, type MetricName } from './metrics/metric-definitions.js';
export { MetricsListener, type MetricsListenerOptions } from './metrics/metrics-listener.js';
export {
  Metrics,
  type Family,
  type MetricReading,
  type MetricSample,
  type MetricsOptions,
} from './metrics/metrics.js';
export { showNodejsMetrics } from './metrics/nodejs-metrics.js';
export { showProcessMetrics } from './metrics/process-metrics.js';
export { type CounterSeries, type GaugeSeries, type HistogramSeries } from './metrics/series.js';
export { TcpExporter, type TcpExporterOptions } from './metrics/tcp-exporter.js';
export {
  acceptTrafficAnswer,
  errorAnswer,
  jsonAnswer,
  liveAnswer,
  upAnswer,
  type ProbeAnswer,
  type UpStatus,
} from './probes/probe-answer.js';
export { upOfApp, upOfProcess, type AppLookup, type UpState } from './probes/up.js';
export { startingAnswer, type GateState } from './probes/starting-answer.js';
export { ProcessState, type ProcessPhase } from './process-state.js';
export { Reloads, type ReloadsOptions, type Section } from './reload/reloads.js';
export {
  optional,
  provider,
  token,
  type OptionalPart,
  type PartsOf,
  type Token,
  type Wanted,
} from './provider.js';
export {
  ADMISSION,
  HEALTH,
  HISTORY_HEALTH_SOURCE,
  LOGGING,
  OCCUPANCY_SOURCE,
  PROCESS_STATE,
  RUNTIME,
  RELOADS,
  RuntimeModule,
  SHUTDOWN,
  STARTUP,
  type RuntimeParts,
} from './runtime-module.js';
export { CLOSING_STEP_MS, closingSchedule, shuffled } from './shutdown/closing-schedule.js';
export { type ShutdownOptions, type ShutdownPhase, type ShutdownPlan } from './shutdown/plan.js';
export {
  Shutdown,
  stopOnSignals,
  type ShutdownContext,
  type ShutdownDependencies,
  type ShutdownWork,
  type WorkOptions,
} from './shutdown/shutdown.js';
export { Startup } from './startup.js';
export { type AppStatistics, type Occupancy, type Totals } from './statistics/occupancy.js';
export { Statistics, type StatisticsBody, usageBody, type UsageBody } from './statistics/statistics.js';
export {
  NO_HISTORY,
  NO_SOCKETS,
  type HistoryHealth,
  type HistoryHealthSource,
  type OccupancySource,
  type SocketCounters,
  type SubscriptionView,
} from './statistics/sources.js';
export { sharesPorts } from './workers/supervisor-link.js';
export { explainMissingPackage } from './missing-package.js';
export { bounded, pause, type Outcome } from './time.js';

export type { ScrapedSample } from './metric-data.js';
export type { Span, SpanStart, Tracer } from './span.js';
export { type ExportedLine, openTelemetry, type Telemetry, type TelemetryParts } from './telemetry.js';
export { readTraceParent, type TraceParent, traceParentText } from './trace-parent.js';
export {
  currentSpan,
  currentTraceParent,
  isTracing,
  startSpan,
  traced,
  useTracer,
  within,
} from './tracing.js';

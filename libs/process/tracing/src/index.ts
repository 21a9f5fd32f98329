export type { ScrapedSample } from './metric-data.js';
export type { Span, SpanStart, Tracer } from './span.js';
export { openTelemetry } from './telemetry.js';
export { type ExportedLine, type Telemetry, type TelemetryParts } from './telemetry-parts.js';
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

export type { ScrapedSample } from './metric-data.js';
export type { Span, SpanStart, Tracer } from './span.js';
export { openTelemetry } from './telemetry.js';
export { type ExportedLine, type Telemetry, type TelemetryParts } from './telemetry-parts.js';
export { readTraceParent, type TraceParent, traceParentText } from './trace-parent.js';
export { traceOfHeaders } from './trace-text.js';
export {
  currentSpan,
  currentTrace,
  isTracing,
  isTracingMessages,
  startSpan,
  traced,
  tracedPart,
  traceHeaders,
  useTracer,
  within,
} from './tracing.js';

import type { Span, SpanStart, Tracer } from './span.js';

/**
 * Tracer of this process; null while tracing is off. Process-wide like the log's destination: passing a tracer
 * through every package would cost more than it explains.
 */
let tracer: Tracer | null = null;
/** Whether each message of a client is a span too; there are many, so only where the log is as talkative. */
let tracesMessages = false;

/**
 * Sets the tracer of this process.
 *
 * @returns restores the previous one: in a test, `onTestFinished(useTracer(…))`
 */
export function useTracer(next: Tracer, messagesToo = false): () => void {
  const before = { tracer, tracesMessages };
  tracer = next;
  tracesMessages = messagesToo;
  return () => {
    if (tracer === next) ({ tracer, tracesMessages } = before);
  };
}

export const isTracing = (): boolean => tracer !== null;

/** Begins a span that its receiver ends; null while tracing is off. */
export const startSpan = (what: SpanStart): Span | null => tracer?.start(what) ?? null;

/** Runs work as part of a span; without one it is an ordinary call. */
export const within = <Value>(span: Span | null, work: () => Value): Value =>
  span === null || tracer === null ? work() : tracer.within(span, work);

/** The span the running code belongs to. */
export const currentSpan = (): Span | undefined => tracer?.current();

/** Returns the trace context of the running code for another process; absent outside of a trace. */
export const currentTrace = (): string | undefined => tracer?.current()?.trace;

/** Returns the trace context as request headers; empty outside of a trace. */
export const traceHeaders = (): Readonly<Record<string, string>> => tracer?.current()?.headers ?? {};

/**
 * Does work as a span of its own, which ends with it. While tracing is off it is a call and a comparison.
 */
export function traced<Value>(what: () => SpanStart, work: () => Value): Value {
  if (tracer === null) return work();
  const span = tracer.start(what());
  try {
    return ended(span, tracer.within(span, work));
  } catch (error) {
    span.fail();
    span.end();
    throw error;
  }
}

/** Traces a part of traced work; background work without a trace gets no span. */
export const tracedPart = <Value>(what: () => SpanStart, work: () => Value): Value =>
  tracer?.current() === undefined ? work() : traced(what, work);

/** Whether work caused by a single client message is traced. */
export const isTracingMessages = (): boolean => tracesMessages;

function ended<Value>(span: Span, value: Value): Value {
  if (!(value instanceof Promise)) {
    span.end();
    return value;
  }
  value.then(
    () => span.end(),
    () => {
      span.fail();
      span.end();
    },
  );
  return value;
}

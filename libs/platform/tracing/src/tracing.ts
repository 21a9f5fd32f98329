import type { Span, SpanStart, Tracer } from './span.js';

/**
 * The tracer of this process; null while tracing is off. One for the process, as the log's destination is: work is traced
 * where it happens, and handing a tracer through every room would cost more than it says.
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

/** Begins a span that somebody else ends; null while tracing is off. */
export const startSpan = (what: SpanStart): Span | null => tracer?.start(what) ?? null;

/** Runs work as part of a span; without one it is an ordinary call. */
export const within = <Value>(span: Span | null, work: () => Value): Value =>
  span === null || tracer === null ? work() : tracer.within(span, work);

/** The span the running code belongs to. */
export const currentSpan = (): Span | undefined => tracer?.current();

/** What to tell another process about the running code; absent while it belongs to no trace. */
export const currentTrace = (): string | undefined => tracer?.current()?.trace;

/** The same as headers of a request to somebody else; none while the code belongs to no trace. */
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

/** The same for a part of something that is traced; what nobody began, such as asking a store now and then, is no span. */
export const tracedPart = <Value>(what: () => SpanStart, work: () => Value): Value =>
  tracer?.current() === undefined ? work() : traced(what, work);

/** Whether what one message of a client causes is to be traced. */
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

/** Subject of a span. Names and attributes never contain secrets, payloads or names chosen by clients. */
export interface SpanStart {
  readonly name: string;
  readonly kind: 'server' | 'client' | 'producer' | 'consumer';
  /** Trace of another process (`traceText`); absent: the trace of the running code. */
  readonly parent?: string | null | undefined;
  readonly attributes?: Readonly<Record<string, string | number | boolean>>;
}

/** One piece of work of a trace. */
export interface Span {
  readonly name: string;
  readonly traceId: string;
  /** Trace context for other processes of the service. */
  readonly trace: string;
  /** The same as headers of a request to others. */
  readonly headers: Readonly<Record<string, string>>;
  set(name: string, value: string | number | boolean): void;
  /** Marks the span as failed, without the error's text, which may contain client data. */
  fail(): void;
  end(): void;
}

/** Creates and propagates spans. */
export interface Tracer {
  start(what: SpanStart): Span;
  /** Runs the work as part of the span. */
  within<Value>(span: Span, work: () => Value): Value;
  /** Span of the running code. */
  current(): Span | undefined;
}

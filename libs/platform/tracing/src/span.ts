/** What a span is about. Names and attributes never hold secrets, payloads or names that clients choose. */
export interface SpanStart {
  readonly name: string;
  readonly kind: 'server' | 'client' | 'producer' | 'consumer';
  /** What another process told of its trace (`traceText`); absent: what the running code belongs to. */
  readonly parent?: string | null | undefined;
  readonly attributes?: Readonly<Record<string, string | number | boolean>>;
}

/** One piece of work of a trace. */
export interface Span {
  readonly name: string;
  readonly traceId: string;
  /** What another process of ours needs to go on with the trace. */
  readonly trace: string;
  /** The same as headers of a request to others. */
  readonly headers: Readonly<Record<string, string>>;
  set(name: string, value: string | number | boolean): void;
  /** Marks it as failed; the error's text is not told, because it may hold what clients sent. */
  fail(): void;
  end(): void;
}

/** What a process does with the spans it begins. */
export interface Tracer {
  start(what: SpanStart): Span;
  /** Runs the work as part of the span. */
  within<Value>(span: Span, work: () => Value): Value;
  /** What the running code belongs to. */
  current(): Span | undefined;
}

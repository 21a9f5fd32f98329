import { AsyncLocalStorage } from 'node:async_hooks';
import {
  createTraceState,
  ROOT_CONTEXT,
  type Span as SdkSpan,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer as SdkTracer,
} from '@opentelemetry/api';
import type { Span, SpanStart, Tracer } from './span.js';
import { traceParentText } from './trace-parent.js';
import { readTrace, type TraceContext, traceText } from './trace-text.js';

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

class OpenSpan implements Span {
  constructor(
    readonly name: string,
    readonly sdk: SdkSpan,
    readonly baggage: string,
  ) {}

  get traceId(): string {
    return this.sdk.spanContext().traceId;
  }

  get trace(): string {
    return traceText(this.#context);
  }

  get headers(): Readonly<Record<string, string>> {
    const { parent, state, baggage } = this.#context;
    return {
      traceparent: traceParentText(parent),
      ...(state === '' ? {} : { tracestate: state }),
      ...(baggage === '' ? {} : { baggage }),
    };
  }

  get #context() {
    const { traceId, spanId, traceFlags, traceState } = this.sdk.spanContext();
    const parent = { traceId, spanId, flags: traceFlags };
    return { parent, state: traceState?.serialize() ?? '', baggage: this.baggage };
  }

  set(name: string, value: string | number | boolean): void {
    this.sdk.setAttribute(name, value);
  }

  fail(): void {
    this.sdk.setStatus({ code: SpanStatusCode.ERROR });
  }

  end(): void {
    this.sdk.end();
  }
}

/** Accepted parts of traces of other processes. */
export interface Honoured {
  readonly parents: boolean;
  readonly baggage: boolean;
}

/** Spans of OpenTelemetry, which follow the code through everything it waits for. */
export class OpenTelemetryTracer implements Tracer {
  readonly #running = new AsyncLocalStorage<OpenSpan>();

  constructor(
    private readonly sdk: SdkTracer,
    private readonly honours: Honoured,
  ) {}

  start({ name, kind, parent, attributes = {} }: SpanStart): Span {
    const told = readTrace(parent);
    const sdk = this.sdk.startSpan(name, { kind: KINDS[kind], attributes }, this.#above(told));
    const baggage = this.honours.baggage ? told.baggage : '';
    return new OpenSpan(name, sdk, baggage || (this.#running.getStore()?.baggage ?? ''));
  }

  within<Value>(span: Span, work: () => Value): Value {
    return span instanceof OpenSpan ? this.#running.run(span, work) : work();
  }

  current(): Span | undefined {
    return this.#running.getStore();
  }

  #above({ parent, state }: TraceContext): typeof ROOT_CONTEXT {
    if (parent !== null && this.honours.parents) {
      const { traceId, spanId, flags } = parent;
      const told = { traceId, spanId, traceFlags: flags, isRemote: true };
      return trace.setSpanContext(
        ROOT_CONTEXT,
        state === '' ? told : { ...told, traceState: createTraceState(state) },
      );
    }
    const here = this.#running.getStore();
    return here === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, here.sdk);
  }
}

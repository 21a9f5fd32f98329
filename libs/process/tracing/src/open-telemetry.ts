import { AsyncLocalStorage } from 'node:async_hooks';
import {
  ROOT_CONTEXT,
  type Span as SdkSpan,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer as SdkTracer,
} from '@opentelemetry/api';
import type { Span, SpanStart, Tracer } from './span.js';
import { readTraceParent, traceParentText } from './trace-parent.js';

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
  ) {}

  get traceId(): string {
    return this.sdk.spanContext().traceId;
  }

  get traceParent(): string {
    const { traceId, spanId, traceFlags } = this.sdk.spanContext();
    return traceParentText({ traceId, spanId, flags: traceFlags });
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

/** Spans of OpenTelemetry, which follow the code through everything it waits for. */
export class OpenTelemetryTracer implements Tracer {
  readonly #running = new AsyncLocalStorage<OpenSpan>();

  /** @param hearsOthers whether the trace parents of other processes are honoured */
  constructor(
    private readonly sdk: SdkTracer,
    private readonly hearsOthers: boolean,
  ) {}

  start({ name, kind, parent, attributes = {} }: SpanStart): Span {
    return new OpenSpan(
      name,
      this.sdk.startSpan(name, { kind: KINDS[kind], attributes }, this.#above(parent)),
    );
  }

  within<Value>(span: Span, work: () => Value): Value {
    return span instanceof OpenSpan ? this.#running.run(span, work) : work();
  }

  current(): Span | undefined {
    return this.#running.getStore();
  }

  #above(parent: string | null | undefined): typeof ROOT_CONTEXT {
    const told = this.hearsOthers ? readTraceParent(parent) : null;
    if (told !== null) {
      const { traceId, spanId, flags } = told;
      return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: flags, isRemote: true });
    }
    const here = this.#running.getStore();
    return here === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, here.sdk);
  }
}

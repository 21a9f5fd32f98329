import { readTraceParent, type TraceParent, traceParentText } from './trace-parent.js';

/** Trace context exchanged between processes: W3C Trace Context and Baggage. */
export interface TraceContext {
  /** Null: missing or malformed. */
  readonly parent: TraceParent | null;
  /** `tracestate` of vendors; empty: none. */
  readonly state: string;
  /** `baggage` of the originator; empty: none. Passed on unread. */
  readonly baggage: string;
}

/** Most bytes of a trace in a message between processes. */
const MAX_BYTES = 512;
/** Size limits of values from callers. */
const MAX_STATE_BYTES = 512;
const MAX_BAGGAGE_BYTES = 8192;
const PRINTABLE = /^[ -~\t]*$/;
/** A name, `=` and a value, with properties or without, between commas. */
const BAGGAGE = /^\s*[!#$%&'*+.^_`|~\w-]+\s*=[^,]*(,\s*[!#$%&'*+.^_`|~\w-]+\s*=[^,]*)*$/;

const NONE: TraceContext = { parent: null, state: '', baggage: '' };

/** Parses the parent alone, or with state and baggage on further lines. Malformed parts count as missing. */
export function readTrace(text: string | null | undefined): TraceContext {
  if (text === null || text === undefined || text === '') return NONE;
  const [parentText = '', state = '', baggage = ''] = text.split('\n');
  const parent = readTraceParent(parentText);
  return {
    parent,
    state: parent !== null && state.length <= MAX_STATE_BYTES && PRINTABLE.test(state) ? state : '',
    baggage: isBaggage(baggage) ? baggage : '',
  };
}

/**
 * Encodes the context for messages between processes. Parts that do not fit are omitted: baggage first, then the
 * state.
 */
export function traceText({ parent, state, baggage }: TraceContext): string {
  const first = parent === null ? '' : traceParentText(parent);
  for (const text of [`${first}\n${state}\n${baggage}`, `${first}\n${state}`]) {
    if (text.length <= MAX_BYTES) return text.trimEnd();
  }
  return first;
}

/** Returns the trace headers of a request as a text for `SpanStart.parent`. */
export const traceOfHeaders = (header: (name: string) => string | null | undefined): string =>
  `${header('traceparent') ?? ''}\n${header('tracestate') ?? ''}\n${header('baggage') ?? ''}`;

const isBaggage = (text: string): boolean =>
  text !== '' && text.length <= MAX_BAGGAGE_BYTES && PRINTABLE.test(text) && BAGGAGE.test(text);

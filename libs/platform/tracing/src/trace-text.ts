import { readTraceParent, type TraceParent, traceParentText } from './trace-parent.js';

/** What a process tells another one of a trace: W3C Trace Context and Baggage. */
export interface TraceContext {
  /** Null: it tells of none, or of one that is malformed. */
  readonly parent: TraceParent | null;
  /** What vendors add to the parent; empty: nothing. */
  readonly state: string;
  /** What whoever began the trace wants everybody to know; empty: nothing. Never looked at, only handed on. */
  readonly baggage: string;
}

/** Most bytes of a trace in a message between processes. */
const MOST_BYTES = 512;
/** Most bytes of what callers may hand in, of each kind. */
const MOST_STATE_BYTES = 512;
const MOST_BAGGAGE_BYTES = 8192;
const PRINTABLE = /^[ -~\t]*$/;
/** A name, `=` and a value, with properties or without, between commas. */
const BAGGAGE = /^\s*[!#$%&'*+.^_`|~\w-]+\s*=[^,]*(,\s*[!#$%&'*+.^_`|~\w-]+\s*=[^,]*)*$/;

const NONE: TraceContext = { parent: null, state: '', baggage: '' };

/** The parent alone, or with state and baggage on lines of their own. What is malformed is as if it were not there. */
export function readTrace(text: string | null | undefined): TraceContext {
  if (text === null || text === undefined || text === '') return NONE;
  const [parentText = '', state = '', baggage = ''] = text.split('\n');
  const parent = readTraceParent(parentText);
  return {
    parent,
    state: parent !== null && state.length <= MOST_STATE_BYTES && PRINTABLE.test(state) ? state : '',
    baggage: isBaggage(baggage) ? baggage : '',
  };
}

/** As a message between processes carries it. What does not fit is left out: baggage first, then the state. */
export function traceText({ parent, state, baggage }: TraceContext): string {
  const first = parent === null ? '' : traceParentText(parent);
  for (const text of [`${first}\n${state}\n${baggage}`, `${first}\n${state}`]) {
    if (text.length <= MOST_BYTES) return text.trimEnd();
  }
  return first;
}

/** What the headers of a request tell, as a text that `SpanStart.parent` takes. */
export const traceOfHeaders = (header: (name: string) => string | null | undefined): string =>
  `${header('traceparent') ?? ''}\n${header('tracestate') ?? ''}\n${header('baggage') ?? ''}`;

const isBaggage = (text: string): boolean =>
  text !== '' && text.length <= MOST_BAGGAGE_BYTES && PRINTABLE.test(text) && BAGGAGE.test(text);

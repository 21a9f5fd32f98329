/** Position of a span in a trace, as exchanged between processes (W3C Trace Context). */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: number;
}

const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const NOBODY = /^0+$/;

/** Null: it is malformed, which is as if there were none. */
export function readTraceParent(text: string | null | undefined): TraceParent | null {
  const [, version = 'ff', traceId = '0', spanId = '0', flags = '0', rest] = FORM.exec(text ?? '') ?? [];
  // Later versions may append fields after the flags; version 0 may not.
  if (version === 'ff' || (version === '00' && rest !== undefined)) return null;
  if (NOBODY.test(traceId) || NOBODY.test(spanId)) return null;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}

export const traceParentText = ({ traceId, spanId, flags }: TraceParent): string =>
  `00-${traceId}-${spanId}-${flags.toString(16).padStart(2, '0')}`;

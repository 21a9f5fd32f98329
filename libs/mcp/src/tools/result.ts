import { errorBody, ServiceError, toServiceError } from '@carillon/errors';
import type { Finding } from './check.js';

/** Error of a tool as its caller reads it. */
export interface ToolErrorBody {
  readonly error: string;
  readonly code: string;
  readonly status: number;
  readonly details?: readonly Finding[];
  readonly retry_after_seconds?: number;
}

/** Outcome of a call: a JSON result, or an error readable by the model. */
export type ToolOutcome =
  | { readonly kind: 'ok'; readonly value: object; readonly text: string; readonly isUntrusted: boolean }
  | { readonly kind: 'error'; readonly body: ToolErrorBody };

/** Larger results are refused. */
export const MAX_RESULT_BYTES = 1024 * 1024;
const OK = { ok: true };

/** Marks results written by arbitrary publishers: they are data, never instructions. */
export const UNTRUSTED = { 'service/untrusted': true } as const;

export const toolError = (
  code: string,
  status: number,
  error: string,
  details?: readonly Finding[],
): ToolOutcome => ({
  kind: 'error',
  body: { error, code, status, ...(details === undefined ? {} : { details }) },
});

/** An operation's own refusal, unchanged. */
export function refusal(thrown: unknown): ToolOutcome {
  const error: ServiceError = toServiceError(thrown);
  const retryAfter = error.headers['retry-after'];
  return {
    kind: 'error',
    body: {
      ...errorBody(error),
      ...(retryAfter === undefined ? {} : { retry_after_seconds: Number(retryAfter) }),
    },
  };
}

/** A result, unless it is too large to hand to a model. */
export function success(value: unknown, isUntrusted: boolean): ToolOutcome {
  const object = typeof value === 'object' && value !== null ? value : OK;
  const text = JSON.stringify(object);
  if (Buffer.byteLength(text) > MAX_RESULT_BYTES) {
    return toolError(
      'result_too_large',
      413,
      'the result is larger than 1 MiB; repeat the call with a smaller limit',
    );
  }
  return { kind: 'ok', value: object, text, isUntrusted };
}

/** The parts of a result: as text, as structured content, or both. Revision 2025-03-26 has text only. */
export type ResultForm = 'both' | 'structured' | 'text';

/** The result of `tools/call`. */
export function callResult(outcome: ToolOutcome, form: ResultForm): object {
  if (outcome.kind === 'error') {
    return { content: [{ type: 'text', text: JSON.stringify(outcome.body) }], isError: true };
  }
  return {
    content: form === 'structured' ? [] : [{ type: 'text', text: outcome.text }],
    ...(form === 'text' ? {} : { structuredContent: outcome.value }),
    isError: false,
    ...(outcome.isUntrusted ? { _meta: UNTRUSTED } : {}),
  };
}

import { unreachable } from '../program/errors.js';
import type { Invocation } from '../program/invocation.js';
import { durationMs } from '../program/values.js';

const DEFAULT_MS = 10_000;

/** The limit of a request with its retries. */
export function timeoutMs({ values, env }: Pick<Invocation, 'env' | 'values'>): number {
  const flag = values.text('timeout');
  if (flag !== undefined) return durationMs(flag, '--timeout');
  const variable = env['CARILLON_TIMEOUT'];
  return variable === undefined || variable === '' ? DEFAULT_MS : durationMs(variable, 'CARILLON_TIMEOUT');
}

/** Runs `work` with a signal that is aborted after `ms`, or when the invocation is interrupted. */
export async function withDeadline<Result>(
  { signal: interrupt }: Pick<Invocation, 'signal'>,
  url: string,
  ms: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(unreachable(url, `no answer within ${ms} ms`)), ms);
  try {
    return await work(AbortSignal.any([interrupt, deadline.signal]));
  } finally {
    clearTimeout(timer);
  }
}

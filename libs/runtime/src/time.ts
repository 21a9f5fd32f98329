/** Waits; an aborted signal ends the wait early. Never rejects. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal?.aborted === true) {
      done();
      return;
    }
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      done();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end, { once: true });
  });
}

/** What bounded work came to. */
export type Outcome<Value> =
  | { readonly kind: 'done'; readonly value: Value }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'timeout' };

/**
 * Runs work for at most so long. Its signal is aborted when the time is over or the outer signal is; what becomes of
 * the work after that is ignored. Never rejects.
 */
export async function bounded<Value>(
  ms: number,
  work: (signal: AbortSignal) => Promise<Value> | Value,
  outer?: AbortSignal,
): Promise<Outcome<Value>> {
  const controller = new AbortController();
  const signal = outer === undefined ? controller.signal : AbortSignal.any([controller.signal, outer]);
  const settled = attempt(work, signal);
  const waiting = new AbortController();
  const waitSignal = outer === undefined ? waiting.signal : AbortSignal.any([waiting.signal, outer]);
  const expired = pause(ms, waitSignal).then((): Outcome<Value> => ({ kind: 'timeout' }));
  const outcome = await Promise.race([settled, expired]);
  waiting.abort();
  if (outcome.kind === 'timeout') controller.abort();
  return outcome;
}

async function attempt<Value>(
  work: (signal: AbortSignal) => Promise<Value> | Value,
  signal: AbortSignal,
): Promise<Outcome<Value>> {
  try {
    return { kind: 'done', value: await work(signal) };
  } catch (error) {
    return { kind: 'failed', error };
  }
}

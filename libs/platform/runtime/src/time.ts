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

/** Outcome of bounded work. */
export type Outcome<Value> =
  | { readonly kind: 'done'; readonly value: Value }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'timeout' };

/**
 * Runs work with a time limit. Its signal is aborted at the limit or with the outer signal; its later outcome is
 * ignored. Never rejects.
 */
export function bounded<Value>(
  ms: number,
  work: (signal: AbortSignal) => Promise<Value> | Value,
  outer?: AbortSignal,
): Promise<Outcome<Value>> {
  // It is on the way of every statement: one signal and one timer, no more.
  const controller = new AbortController();
  return new Promise((resolve) => {
    const end = (outcome: Outcome<Value>): void => {
      clearTimeout(timer);
      outer?.removeEventListener('abort', over);
      resolve(outcome);
    };
    const over = (): void => {
      controller.abort();
      end({ kind: 'timeout' });
    };
    const timer = setTimeout(over, ms);
    if (outer?.aborted === true) controller.abort();
    else outer?.addEventListener('abort', over, { once: true });
    void attempt(work, controller.signal).then(end);
    if (outer?.aborted === true) over();
  });
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

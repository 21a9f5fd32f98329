import { pause } from '@carillon/runtime';

/** Null when it resolves, or is not there; else why not. */
export async function said(answer: Promise<void> | undefined): Promise<string | null> {
  try {
    await answer;
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : 'no answer';
  }
}

/** Waits at most `ms`; the outcome of the work is ignored afterwards. Never rejects. */
export async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  await Promise.race([work.catch(() => undefined), pause(ms, over.signal)]);
  over.abort();
}

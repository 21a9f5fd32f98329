import { ScyllaUnavailable } from './failures.js';

/** Rejects with `ScyllaUnavailable` if the work takes longer; the work itself continues, and its outcome is ignored. */
export async function within<Answer>(limitMs: number, work: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    const fail = (): void => reject(new ScyllaUnavailable(`no answer within ${limitMs} ms`));
    timer = setTimeout(fail, limitMs);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

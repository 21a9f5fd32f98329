/** The work did not end in time. */
class TimedOut extends Error {
  override readonly name = 'TimedOut';
}

/** Starts the work and waits for it no longer than that; late results and late failures are dropped. */
export async function within<T>(timeoutMs: number, what: string, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimedOut(`${what} took longer than ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}

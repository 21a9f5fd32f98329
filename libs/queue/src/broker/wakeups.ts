/** Waits of idle workers for messages that the broker pushes, at most one wait per queue. */
export class Wakeups {
  readonly #waiting = new Map<string, () => void>();

  /** Ends the wait for the queue, if there is one. */
  wake(queue: string): void {
    this.#waiting.get(queue)?.();
  }

  /** Resolves when the queue is woken, after `ms`, or when the signal is aborted. */
  async wait(queue: string, ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        this.#waiting.delete(queue);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal.addEventListener('abort', end, { once: true });
      this.#waiting.set(queue, end);
    });
  }
}

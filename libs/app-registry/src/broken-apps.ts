import type { BrokenApp } from './port.js';
import type { RegistryLog } from './options.js';

const SILENCE_MS = 60_000;
/** The limit of broken apps logged per minute; further ones are not logged. */
const CAPACITY = 1000;

/** Logs that an app cannot be read, at most once per app and minute. */
export class BrokenAppLog {
  readonly #saidAt = new Map<string, number>();

  constructor(
    private readonly log: RegistryLog,
    private readonly now: () => number,
  ) {}

  say({ id, problems }: BrokenApp): void {
    const now = this.now();
    for (const [other, at] of this.#saidAt) if (now - at >= SILENCE_MS) this.#saidAt.delete(other);
    if (this.#saidAt.has(id) || this.#saidAt.size >= CAPACITY) return;
    this.#saidAt.set(id, now);
    const lines = problems.map(({ path, message }) => `${path}: ${message}`);
    this.log('error', 'the stored record of an app cannot be read; the app is unavailable', {
      app_id: id,
      problems: lines,
    });
  }
}

import type { Terminal } from './terminal.js';

const SHOWN_AFTER_MS = 1000;
const INTERVAL_MS = 200;
const CELLS = 24;

/** A progress bar on standard error, shown after a second and erased at the end. */
export class Progress {
  readonly #timer: NodeJS.Timeout | null;
  readonly #startedMs = Date.now();
  #fraction = 0;
  #text = '';

  constructor(private readonly terminal: Terminal) {
    this.#timer = terminal.showsProgress ? setInterval(() => this.#draw(), INTERVAL_MS) : null;
    this.#timer?.unref();
  }

  update(fraction: number, text: string): void {
    this.#fraction = Math.min(1, Math.max(0, fraction));
    this.#text = text;
  }

  end(): void {
    if (this.#timer === null) return;
    clearInterval(this.#timer);
    if (Date.now() - this.#startedMs >= SHOWN_AFTER_MS) this.terminal.progress('');
  }

  #draw(): void {
    if (Date.now() - this.#startedMs < SHOWN_AFTER_MS) return;
    const full = Math.round(this.#fraction * CELLS);
    const bar = `${'#'.repeat(full)}${'.'.repeat(CELLS - full)}`;
    this.terminal.progress(`[${bar}] ${Math.round(this.#fraction * 100)} %  ${this.#text}`);
  }
}

import { LEVELS, rank, type Level, type Threshold } from './levels.js';
import type { LogFields } from './record.js';

/** Receives the lines of a logger that pass its threshold. */
export type Emit = (level: Level, target: string, message: string, fields: LogFields | undefined) => void;

/**
 * Writes lines of one target. A line below the threshold costs one comparison, so hot paths may log freely if they
 * build no fields; check `enabled` first where building them is costly.
 * Messages are fixed texts with variable parts in the fields, because warnings are limited to one a second per
 * message, errors to ten. Never pass keys, secrets, signatures, tokens, bodies, payloads, webhook URLs or push
 * recipients.
 */
export class Logger {
  readonly #rank: number;

  constructor(
    readonly target: string,
    threshold: Threshold,
    private readonly emit: Emit,
  ) {
    this.#rank = rank(threshold);
  }

  enabled(level: Level): boolean {
    return LEVELS.indexOf(level) >= this.#rank;
  }

  /** Per frame. */
  trace(message: string, fields?: LogFields): void {
    if (this.#rank <= 0) this.emit('trace', this.target, message, fields);
  }

  /** Per request or per socket. */
  debug(message: string, fields?: LogFields): void {
    if (this.#rank <= 1) this.emit('debug', this.target, message, fields);
  }

  /** Lifecycle, cluster membership, configuration summary. */
  info(message: string, fields?: LogFields): void {
    if (this.#rank <= 2) this.emit('info', this.target, message, fields);
  }

  /** Degraded, retried or refused by policy; one a second per message. */
  warn(message: string, fields?: LogFields): void {
    if (this.#rank <= 3) this.emit('warn', this.target, message, fields);
  }

  /** An operator must act. */
  error(message: string, fields?: LogFields): void {
    if (this.#rank <= 4) this.emit('error', this.target, message, fields);
  }
}

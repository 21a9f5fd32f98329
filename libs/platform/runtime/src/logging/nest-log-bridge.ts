import type { LoggerService } from '@nestjs/common';
import type { Logger } from './logger.js';
import type { Logging } from './logging.js';

const text = (message: unknown): string => (typeof message === 'string' ? message : 'Nest message');

const fields = (message: unknown, rest: readonly unknown[]): Record<string, unknown> => {
  const context = rest.at(-1);
  // Nest passes a stack before the context, or a stack alone.
  return {
    ...(typeof context === 'string' && !context.includes('\n') ? { context } : {}),
    ...(typeof message === 'string' ? {} : { error: message }),
  };
};

/** Sends the framework's own lines through the log of the process; its lifecycle chatter is debug. */
export class NestLogBridge implements LoggerService {
  readonly #log: Logger;

  constructor(logging: Logging) {
    this.#log = logging.for('service::nest');
  }

  log(message: unknown, ...rest: unknown[]): void {
    this.#log.debug(text(message), fields(message, rest));
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.#log.debug(text(message), fields(message, rest));
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.#log.trace(text(message), fields(message, rest));
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.#log.warn(text(message), fields(message, rest));
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.#log.error(text(message), fields(message, rest));
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.error(message, ...rest);
  }
}

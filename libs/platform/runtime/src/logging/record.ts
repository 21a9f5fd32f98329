import type { Level } from './levels.js';

/**
 * Fields of a line besides its message. `error` may be any thrown value. Names are snake_case and never contain
 * secrets.
 */
export type LogFields = Readonly<Record<string, unknown>>;

/** The unit of work a line belongs to, when one is traced. */
export interface LogSpan {
  readonly name: string;
  readonly trace_id: string;
}

/** One line, ready to print: redacted and bounded. */
export interface LogRecord {
  readonly level: Level;
  readonly target: string;
  readonly span?: LogSpan;
  readonly fields: LogFields & { readonly message: string };
  /** `file:line` of the call; only for debug with the text format. */
  readonly location?: string;
}

/** Destination of finished lines. */
export interface LogDestination {
  write(line: string): unknown;
  /** Writes buffered lines before it returns. */
  flushSync?(): void;
}

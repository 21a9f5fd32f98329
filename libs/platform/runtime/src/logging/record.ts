import type { Level } from './levels.js';

/** What a line says beside its message. `error` may be anything thrown. Names are snake_case and never hold secrets. */
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
  /** `file:line` of the call; only in debug with the text format. */
  readonly location?: string;
}

/** Where finished lines go. */
export interface LogDestination {
  write(line: string): unknown;
  /** Writes what is buffered before returning. */
  flushSync?(): void;
}

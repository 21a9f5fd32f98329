import { isatty } from 'node:tty';
import { pino } from 'pino';
import { thresholdFor } from './filter.js';
import { jsonWriter } from './json-format.js';
import type { Level } from './levels.js';
import { callerLocation } from './location.js';
import { Logger } from './logger.js';
import { printable, scrub } from './redaction.js';
import type { LogDestination, LogFields, LogRecord, LogSpan } from './record.js';
import { resolveLogSettings, type LoggingOptions, type LogSettings } from './settings.js';
import { textWriter } from './text-format.js';
import { LineLimit } from './line-limit.js';

/** Lines waiting for a reader that does not read; above this they are dropped rather than held in memory. */
const MAX_BUFFERED_BYTES = 8 * 1024 * 1024;

/** Lines of one message. Errors differ in their fields more often, and each may be the one that explains. */
const WARNINGS_A_SECOND = 1;
const ERRORS_A_SECOND = 10;

export interface LoggingDependencies {
  /** Absent: standard output, written without blocking and flushed when the process exits. */
  readonly destination?: LogDestination;
  /** Absent: whether standard output is a terminal. */
  readonly terminal?: boolean;
  /** The traced unit of work of the running code, if any. Absent: lines carry no span. */
  readonly currentSpan?: () => LogSpan | undefined;
}

/** The log of one process. */
export class Logging {
  readonly #print: (record: LogRecord) => void;
  /** Second receiver of lines; absent: none. Must not throw. */
  alsoTo: ((record: LogRecord) => void) | null = null;
  /** Limits by level; other levels have none, because a client cannot cause more than one line of them. */
  readonly #limits: Readonly<Partial<Record<Level, LineLimit>>> = {
    warn: new LineLimit(WARNINGS_A_SECOND),
    error: new LineLimit(ERRORS_A_SECOND),
  };

  constructor(
    readonly settings: LogSettings,
    private readonly destination: LogDestination,
    private readonly currentSpan: () => LogSpan | undefined,
  ) {
    this.#print = settings.format === 'json' ? jsonWriter(destination) : textWriter(destination, settings);
  }

  /** A logger for a target such as `service::gateway`. */
  for(target: string): Logger {
    return new Logger(target, thresholdFor(this.settings.filter, target), this.#emit);
  }

  /** Logger that ignores the filter, for records that must be kept. */
  unfiltered(target: string): Logger {
    return new Logger(target, 'trace', this.#emit);
  }

  /** Writes buffered lines, before an exit. */
  flush(): void {
    this.destination.flushSync?.();
  }

  readonly #emit = (level: Level, target: string, message: string, fields: LogFields | undefined): void => {
    const limit = this.#limits[level];
    const suppressed = limit === undefined ? 0 : limit.admit(`${target} ${message}`, Date.now());
    if (suppressed === null) return;
    const span = this.currentSpan();
    const { debug, format } = this.settings;
    const location = debug && format === 'text' ? callerLocation() : undefined;
    const record: LogRecord = {
      level,
      target,
      ...(span === undefined ? {} : { span }),
      fields: {
        message: scrub(message),
        ...this.#safely(fields),
        ...(suppressed > 0 ? { suppressed } : {}),
      },
      ...(location === undefined ? {} : { location }),
    };
    this.#print(record);
    this.alsoTo?.(record);
  };

  /** A field that cannot even be read must not break the work that logs it. */
  #safely(fields: LogFields | undefined): LogFields {
    try {
      return this.#printable(fields);
    } catch {
      return { unprintable: true };
    }
  }

  #printable(fields: LogFields | undefined): LogFields {
    if (fields === undefined) return {};
    const printed: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(fields)) {
      if (name === 'message') continue;
      printed[name] = printable(name, value);
      if (name === 'error' && this.settings.debug && value instanceof Error && value.stack !== undefined) {
        printed['stack'] = scrub(value.stack);
      }
    }
    return printed;
  }
}

/** Starts logging and reports invalid settings. */
export function createLogging(options: LoggingOptions, dependencies: LoggingDependencies = {}): Logging {
  const settings = resolveLogSettings(options, dependencies.terminal ?? isatty(1));
  const destination = dependencies.destination ?? standardOutput();
  const logging = new Logging(settings, destination, dependencies.currentSpan ?? (() => undefined));
  const log = logging.for('service::config');
  for (const warning of settings.warnings) log.warn(warning);
  return logging;
}

let standard: LogDestination | undefined;

/** One of the process, however many write to it: it is one descriptor, and is flushed once when the process ends. */
const standardOutput = (): LogDestination => (standard ??= openStandardOutput());

function openStandardOutput(): LogDestination {
  const output = pino.destination({ dest: 1, sync: false, maxLength: MAX_BUFFERED_BYTES });
  // A closed pipe must not end the process; there is no other place to report it.
  output.on('error', () => undefined);
  const flushSync = (): void => {
    try {
      output.flushSync();
    } catch {
      // The descriptor is closed: nothing can be written any longer.
    }
  };
  process.once('exit', flushSync);
  return { write: (line) => output.write(line), flushSync };
}

import { rank, type Level, type Threshold } from '../logging/levels.js';
import type { LogDestination, LogFields, LogRecord } from '../logging/record.js';
import { textWriter } from '../logging/text-format.js';

/** Log settings of a process with few log lines. */
export interface LineOptions {
  readonly format: 'json' | 'text';
  readonly colors: boolean;
  readonly includeTarget: boolean;
  /** The least level that is written. */
  readonly threshold: Threshold;
}

/** The log of a process that has loaded nothing else. Lines look like those of `Logging`; their fields are its own words. */
export interface Lines {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

const TARGET = 'service::workers';

/** JSON lines like those of `Logging`, without its library. */
const jsonWriter =
  (destination: LogDestination) =>
  ({ level, target, fields }: LogRecord): void =>
    void destination.write(
      `${JSON.stringify({ timestamp: new Date().toISOString(), level: level.toUpperCase(), target, fields })}\n`,
    );

export function lines(options: LineOptions, destination: LogDestination): Lines {
  const write = options.format === 'json' ? jsonWriter(destination) : textWriter(destination, options);
  const at =
    (level: Level) =>
    (message: string, fields: LogFields = {}): void => {
      if (rank(level) >= rank(options.threshold))
        write({ level, target: TARGET, fields: { message, ...fields } });
    };
  return { info: at('info'), warn: at('warn'), error: at('error') };
}

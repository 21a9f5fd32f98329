import { pino } from 'pino';
import type { LogDestination, LogRecord } from './record.js';

/**
 * A writer of the one JSON line shape. pino's own level and time are silenced (its level formatter prints nothing,
 * its time function the whole first member), so that a line is exactly timestamp, level, target, span, fields.
 */
export function jsonWriter(destination: LogDestination): (record: LogRecord) => void {
  const output = pino(
    {
      base: null,
      level: 'trace',
      formatters: { level: () => ({}) },
      timestamp: () => `"timestamp":"${new Date().toISOString()}"`,
    },
    { write: (line: string) => void destination.write(line) },
  );
  return ({ level, target, span, fields }) => {
    output[level]({ level: level.toUpperCase(), target, span, fields });
  };
}

import {
  Logging,
  Metrics,
  createLogging,
  type LoggingDependencies,
  type LoggingOptions,
} from '../src/index.js';

/** A log whose lines are kept. */
export function capturedLog(
  options: Partial<LoggingOptions> = {},
  more: LoggingDependencies = {},
): { logging: Logging; lines: string[]; records: () => LogLine[] } {
  const lines: string[] = [];
  const logging = createLogging(
    {
      debug: false,
      colors_enabled: true,
      include_target: true,
      format: 'json',
      filter: 'trace',
      ...options,
    },
    { terminal: false, destination: { write: (line) => lines.push(line) }, ...more },
  );
  return { logging, lines, records: () => lines.map((line) => JSON.parse(line) as LogLine) };
}

export interface LogLine {
  readonly timestamp: string;
  readonly level: string;
  readonly target: string;
  readonly fields: Record<string, unknown> & { readonly message: string };
}

export function testMetrics(max_series_per_metric = 100): Metrics {
  const { logging } = capturedLog();
  return new Metrics({
    prefix: 'service_',
    port: 6001,
    log: logging.for('service::ops'),
    max_series_per_metric,
  });
}

import { Logging, Metrics, createLogging, type LoggingDependencies } from '../src/index.js';

/** A log whose lines are kept. */
export function capturedLog(
  environment: Record<string, string> = { LOG_OUTPUT_FORMAT: 'json', RUST_LOG: 'trace' },
  more: LoggingDependencies & { debug?: boolean } = {},
): { logging: Logging; lines: string[]; records: () => LogLine[] } {
  const lines: string[] = [];
  const logging = createLogging(
    { debug: more.debug ?? false, colors_enabled: true, include_target: true },
    { environment, terminal: false, destination: { write: (line) => lines.push(line) }, ...more },
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

import type { Config } from '@carillon/config';
import type { ScrapedSample } from './metric-data.js';

/** A line of the log as it is exported. */
export interface ExportedLine {
  readonly level: 'debug' | 'error' | 'info' | 'trace' | 'warn';
  readonly target: string;
  readonly fields: Readonly<Record<string, unknown>> & { readonly message: string };
}

/** What a process tells a collector. */
export interface Telemetry {
  /** Exports a line; null when lines are not exported. Drops it when too many wait. */
  readonly line: ((line: ExportedLine) => void) | null;
  /** Sends what waits, and ends. Never rejects. */
  close(): Promise<void>;
}

export interface TelemetryParts {
  readonly config: Config['opentelemetry'];
  readonly nodeId: string;
  readonly version: string;
  /** Whether each message of a client is a span too. */
  readonly messagesToo: boolean;
  /** What a scrape would show. */
  readonly samples: () => Promise<readonly ScrapedSample[]>;
  /** Told of trouble with the collector, once a minute at most. */
  readonly warn: (text: string) => void;
}

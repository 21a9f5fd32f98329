import type { Config } from '@carillon/config';
import type { ScrapedSample } from './metric-data.js';

/** A line of the log as it is exported. */
export interface ExportedLine {
  readonly level: 'debug' | 'error' | 'info' | 'trace' | 'warn';
  readonly target: string;
  readonly fields: Readonly<Record<string, unknown>> & { readonly message: string };
}

/** Exports of a process to a collector. */
export interface Telemetry {
  /** Exports a line; null when lines are not exported. Drops it when too many wait. */
  readonly line: ((line: ExportedLine) => void) | null;
  /** Sends pending data and ends. Never rejects. */
  close(): Promise<void>;
}

export interface TelemetryParts {
  readonly config: Config['opentelemetry'];
  readonly nodeId: string;
  readonly version: string;
  /** Whether each message of a client is a span too. */
  readonly messagesToo: boolean;
  /** Samples of a scrape. */
  readonly samples: () => Promise<readonly ScrapedSample[]>;
  /** Called with failures of the collector, at most once a minute. */
  readonly warn: (text: string) => void;
}

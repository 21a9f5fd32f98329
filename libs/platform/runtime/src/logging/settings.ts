import { parseFilter, type LogFilter } from './filter.js';

/** The `logging` section and `debug`, as configured. */
export interface LoggingOptions {
  readonly debug: boolean;
  readonly colors_enabled: boolean;
  readonly include_target: boolean;
  /** `json`; anything else is text. */
  readonly format: string;
  /** Comma list of `level` or `target=level`. */
  readonly filter: string;
}

/** Effective log settings. */
export interface LogSettings {
  readonly format: 'json' | 'text';
  readonly filter: LogFilter;
  readonly colors: boolean;
  readonly includeTarget: boolean;
  /** Source location in text lines, stack of errors in both formats. */
  readonly debug: boolean;
  /** To be logged once logging runs. */
  readonly warnings: readonly string[];
}

/** Filter used if the configured one has no valid item. */
const FALLBACK: LogFilter = { otherwise: 'info', byTarget: new Map() };

/** Nothing here fails: bad filter items become warnings. */
export function resolveLogSettings(options: LoggingOptions, terminal: boolean): LogSettings {
  const format = options.format === 'json' ? 'json' : 'text';
  const { filter, warnings } = parseFilter(options.filter);
  return {
    format,
    filter: filter ?? FALLBACK,
    colors: format === 'text' && options.colors_enabled && terminal,
    includeTarget: options.include_target,
    debug: options.debug,
    warnings,
  };
}

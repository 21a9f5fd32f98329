import { parseFilter, type LogFilter } from './filter.js';

/** The `logging` section and `debug`, as configured. */
export interface LoggingOptions {
  readonly debug: boolean;
  readonly colors_enabled: boolean;
  readonly include_target: boolean;
}

/** What the options and the environment come to. */
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

type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_DEBUG_FILTER = 'info,service=debug';
const DEFAULT_FILTER = 'info';

/** A variable that is set but blank counts as unset. */
const value = (text: string | undefined): string | null =>
  text === undefined || text.trim() === '' ? null : text.trim();

/** Resolves format and filter by the precedence of spec 50 §6. Nothing here fails: bad values become warnings. */
export function resolveLogSettings(
  options: LoggingOptions,
  environment: Environment,
  terminal: boolean,
): LogSettings {
  const format = resolveFormat(value(environment['LOG_OUTPUT_FORMAT']));
  const fallback = options.debug ? DEFAULT_DEBUG_FILTER : DEFAULT_FILTER;
  const byMode = options.debug ? environment['SERVICE_LOG_DEBUG'] : environment['SERVICE_LOG_PROD'];
  const parsed = parseFilter(value(environment['RUST_LOG']) ?? value(byMode) ?? fallback);
  return {
    format: format.format,
    filter: parsed.filter ?? parseFilter(fallback).filter ?? { otherwise: 'info', byTarget: new Map() },
    colors: format.format === 'text' && options.colors_enabled && terminal,
    includeTarget: options.include_target,
    debug: options.debug,
    warnings: [...format.warnings, ...parsed.warnings],
  };
}

function resolveFormat(word: string | null): { format: 'json' | 'text'; warnings: string[] } {
  const format = word?.toLowerCase() ?? 'text';
  if (format === 'json') return { format, warnings: [] };
  if (format === 'text' || format === 'human') return { format: 'text', warnings: [] };
  return {
    format: 'text',
    warnings: [`LOG_OUTPUT_FORMAT: unknown value "${word}" (expected json, text, human), using text`],
  };
}

import type { Problem } from '../problem.js';
import type { ProcessKind } from '../process-kind.js';
import type { Files } from '../load/files.js';
import type { Config } from '../schema/index.js';

/** The drivers this build has, by the path of the setting that names one; a path left out allows all. */
export type AvailableDrivers = Readonly<Record<string, readonly string[]>>;

export interface RuleContext {
  readonly config: Config;
  readonly process: ProcessKind;
  readonly configured: ReadonlySet<string>;
  readonly drivers: AvailableDrivers;
  readonly files: Files;
  readonly cwd: string;
  /** The number of processes that share the main port; if more than 1, this is the configuration of all of them. */
  readonly workers: number;
}

/** Something that has to hold between settings. */
export interface Rule {
  readonly id: string;
  readonly severity: 'error' | 'warning';
  check(context: RuleContext): readonly Problem[];
}

export const clustered = (config: Config): boolean => config.adapter.driver !== 'local';

export const pushProviders = ['fcm', 'apns', 'webpush', 'hms', 'wns'] as const;

/** Push is in use when a provider is enabled or a rule is present. */
export const pushInUse = ({ push, push_rules }: Config): boolean =>
  push_rules.length > 0 || pushProviders.some((provider) => push[`${provider}_enabled`]);

/** A rule that reports one fixed problem if its condition is violated; with an empty path only the message is shown. */
export function rule(
  id: string,
  path: string,
  message: string,
  broken: (config: Config, context: RuleContext) => boolean,
  severity: Rule['severity'] = 'error',
): Rule {
  return {
    id,
    severity,
    check: (context) => (broken(context.config, context) ? [{ path, message }] : []),
  };
}

/** The same rule for several values, as one row. */
export function ruleEach<T>(
  id: string,
  rows: readonly T[],
  check: (row: T, context: RuleContext) => Problem | null,
  severity: Rule['severity'] = 'error',
): Rule {
  return {
    id,
    severity,
    check: (context) => rows.map((row) => check(row, context)).filter((problem) => problem !== null),
  };
}

/** The values that occur more than once, each reported once. */
export function duplicates(values: readonly string[]): readonly string[] {
  return [...new Set(values.filter((value, index) => values.indexOf(value) !== index))];
}

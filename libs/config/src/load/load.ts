import { checkTable } from '../kernel/check-table.js';
import { decodeTable } from '../kernel/decode-table.js';
import type { Findings } from '../kernel/node.js';
import { isTable } from '../kernel/read.js';
import type { Problem } from '../problem.js';
import type { ProcessKind } from '../process-kind.js';
import { RULES } from '../rules/index.js';
import { isJudged } from '../rules/in-use.js';
import type { AvailableDrivers, Rule, RuleContext } from '../rules/rule.js';
import { schema, type Config } from '../schema/index.js';
import { canonicalKeys } from './aliases.js';
import { discover } from './discover.js';
import { applyEnvironment, type Env } from './environment.js';
import type { Files } from './files.js';
import { readFile } from './read-file.js';
import { adjust, fillDerived } from './settle.js';
import { applySpecialVariables } from './special-variables.js';

export interface LoadInput {
  readonly process: ProcessKind;
  /** The file named on the command line; null searches the default locations. */
  readonly named: string | null;
  readonly env: Env;
  readonly cwd: string;
  readonly files: Files;
  readonly drivers: AvailableDrivers;
  /** The number of processes that share the main port. */
  readonly workers: number;
}

export interface Loaded {
  /** Complete, but only to be relied on when there are no problems. */
  readonly config: Config;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
  /** The name of the file that was used; null if there is none. */
  readonly source: string | null;
}

function broken(
  rules: readonly Rule[],
  severity: Rule['severity'],
  context: RuleContext,
): readonly Problem[] {
  return rules
    .filter((rule) => rule.severity === severity)
    .flatMap((rule) => rule.check(context).filter((problem) => isJudged(context.process, rule, problem)));
}

/**
 * Bounds violations of the configured values. A value that could not be read was replaced by its default, which is
 * not reported.
 */
function outsideBounds(config: Config, told: readonly Problem[]): readonly Problem[] {
  const replaced = (path: string): boolean =>
    told.some((problem) => path === problem.path || path.startsWith(`${problem.path}.`));
  return checkTable(schema, config, '').filter(({ path }) => !replaced(path));
}

/** Freezes plain tables and lists only; class instances are left as they are. */
function freeze(value: unknown): void {
  const plain = Array.isArray(value) || isTable(value);
  if (!plain || Object.isFrozen(value)) return;
  Object.values(value).forEach(freeze);
  Object.freeze(value);
}

const sortKey = ({ path, message }: Problem): string =>
  `${path}: ${message}`.replace(/^: /, '').toLowerCase();

/** Sorts by path and removes duplicates; problems without a path keep the position of their text. */
function ordered(problems: readonly Problem[]): readonly Problem[] {
  const unique = new Map(problems.map((problem) => [`${problem.path}\n${problem.message}`, problem]));
  return [...unique.values()].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
}

/** Brings file and environment together into one checked tree; collects every problem, stops at none. */
export function load(input: LoadInput): Loaded {
  const { process, files, cwd, drivers, env, workers } = input;
  const file = readFile(discover(files, cwd, input.named), env);
  const findings: Findings = { problems: [], warnings: [], unknownKeys: [], configured: new Set() };
  const { configured } = findings;
  const tree = decodeTable(schema, canonicalKeys(file.raw, findings), '', findings);
  applyEnvironment(tree, env, findings);
  applySpecialVariables(tree, env, findings);
  fillDerived(tree, configured, process);
  const adjusted = adjust(tree, configured, process);
  freeze(tree);
  const config = tree as Config;
  // A server in the role of an api node has the parts of one, and so needs the same.
  const role = process === 'server' && config.server_role === 'api' ? 'api' : process;
  const context: RuleContext = { config, process: role, files, cwd, drivers, configured, workers };

  const { config_strict: strict } = config;
  const found = [
    ...findings.problems,
    ...(strict ? findings.unknownKeys : []),
    ...outsideBounds(config, findings.problems),
    ...broken(RULES, 'error', context),
  ].filter(({ path }) => !file.unresolvedPaths.has(path));
  const mark = (problem: Problem): Problem =>
    file.read ? problem : { ...problem, message: `${problem.message} (file not read)` };
  return {
    config,
    problems: ordered([...file.problems, ...found.map(mark)]),
    warnings: ordered([
      ...findings.warnings,
      ...(strict ? [] : findings.unknownKeys),
      ...adjusted,
      ...broken(RULES, 'warning', context),
    ]),
    source: file.source,
  };
}

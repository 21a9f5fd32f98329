import type { Problem } from '../problem.js';
import { ownListeners, workerProcessId } from '../workers.js';
import { listeners } from './cross-section.js';
import { clustered, rule, type Rule, type RuleContext } from './rule.js';

const several = ({ workers }: RuleContext): boolean => workers > 1;

const HIGHEST_PORT = 65_535;
const LONGEST_PROCESS_ID = 128;

/** Every listener of every worker: those each has for itself at its own port, the shared ones once. */
function allListeners({ config, workers }: RuleContext): readonly (readonly [string, number])[] {
  const own = ownListeners(config);
  const shared = listeners(config).filter(([path]) => own.every((one) => one.path !== path));
  const ofWorkers = own.flatMap(({ path, port }) =>
    Array.from({ length: workers }, (_, index) => [`${path} of worker ${index}`, port + index] as const),
  );
  return [...shared, ...ofWorkers];
}

function portProblems(context: RuleContext): readonly Problem[] {
  const known = new Map<number, string>();
  const problems: Problem[] = [];
  for (const [name, port] of allListeners(context)) {
    const other = known.get(port);
    if (port > HIGHEST_PORT) problems.push({ path: '', message: `${name} would be above ${HIGHEST_PORT}` });
    else if (other !== undefined)
      problems.push({ path: '', message: `port ${port} is used by ${other} and ${name}` });
    known.set(port, other ?? name);
  }
  return problems;
}

/** Requirements for several processes on one port. */
export const workerRules: readonly Rule[] = [
  rule(
    'workers-local',
    '',
    '--workers requires a horizontal adapter; adapter.driver=local is not supported',
    (config, context) => several(context) && !clustered(config),
  ),
  rule(
    'workers-fallback',
    '',
    '--workers cannot use adapter.fallback_to_local',
    (config, context) => several(context) && config.adapter.fallback_to_local,
  ),
  rule(
    'workers-port',
    'port',
    'must not be 0 with --workers: each would take a port of its own',
    (config, context) => several(context) && config.port === 0 && !config.unix_socket.enabled,
  ),
  rule(
    'workers-unix-socket',
    'unix_socket.enabled',
    'is not supported with --workers: a Unix socket cannot be shared',
    (config, context) => several(context) && config.unix_socket.enabled,
  ),
  rule(
    'workers-process-id',
    'instance.process_id',
    'leaves no room for the number of the worker',
    (config, context) =>
      several(context) && workerProcessId(config, context.workers - 1).length > LONGEST_PROCESS_ID,
  ),
  {
    id: 'workers-ports',
    severity: 'error',
    check: (context) => (several(context) ? portProblems(context) : []),
  },
];

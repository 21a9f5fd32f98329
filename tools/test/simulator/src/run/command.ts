import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { searchMutants } from '../mutants/search.js';
import { expand, type Plan } from '../plan/plan.js';
import { campaign, NotDeterministic, type Report, tell } from './campaign.js';
import { coreOf } from './cores.js';
import { type Options, parseOptions, USAGE, UsageError } from './options.js';
import { matrix } from './pairs.js';
import { human } from './report.js';
import { simulate } from './simulate.js';

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const complain = (text: string): void => void process.stderr.write(`${text}\n`);

const EXIT = { ok: 0, violation: 1, usage: 64, harness: 70 } as const;

/** Runs the command line; returns the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  try {
    const options = parseOptions(args);
    const report: Report = options.json
      ? (event) => print(JSON.stringify(event))
      : (event) => print(human(event));
    if (options.list) return listed();
    if (options.mutant !== null) return await searchMutants(options, report);
    if (options.replay !== null) return await replay(options, report);
    return await run(options, report);
  } catch (error) {
    if (error instanceof UsageError) {
      complain(`${error.message}\n${USAGE}`);
      return EXIT.usage;
    }
    complain(error instanceof NotDeterministic ? error.message : inspect(error));
    return EXIT.harness;
  }
}

function listed(): number {
  print(matrix());
  return EXIT.ok;
}

async function run(options: Options, report: Report): Promise<number> {
  const { cores, faults, seeds, steps } = options;
  report({ type: 'start', node: process.version, cores, faults, seeds, steps });
  const { runs, steps: taken, seconds, pairs } = await campaign(options, report);
  const violations = pairs.reduce((sum, pair) => sum + pair.violations, 0);
  report({ type: 'summary', runs, steps: taken, seconds, violations, pairs, mutants: [] });
  return violations === 0 ? EXIT.ok : EXIT.violation;
}

async function replay(options: Options, report: Report): Promise<number> {
  const plan = planOf(options);
  const core = coreOf(plan.core);
  const { violation } = await simulate(core, plan, (line) => {
    if (!options.json) print(line);
  });
  if (violation === null) return EXIT.ok;
  tell(report, core, plan, violation);
  return EXIT.violation;
}

function planOf({ replay: source, cores, faults, steps }: Options): Plan {
  if (source !== null && !/^\d+$/.test(source))
    return (JSON.parse(readFileSync(source, 'utf8')) as { readonly plan: Plan }).plan;
  const [core = ''] = cores;
  const [fault = 'net-delay'] = faults;
  return expand(coreOf(core), fault, Number(source), steps);
}

import { FAULTS, type Fault } from '../plan/fault-classes.js';
import { CORES } from './cores.js';

/** Options of the command line of the simulator. */
export interface Options {
  readonly cores: readonly string[];
  readonly faults: readonly Fault[];
  readonly seeds: readonly [from: number, to: number];
  readonly steps: number;
  /** Seed, or path of a shrunk plan. Null: no replay. */
  readonly replay: string | null;
  /** Name of a mutant, or `all`. Null: the production code as it is. */
  readonly mutant: string | null;
  /** Absent: until all seeds have run. */
  readonly budgetSeconds: number;
  readonly jobs: number;
  readonly json: boolean;
  readonly list: boolean;
  /** Whether the first failing seed is shrunk. */
  readonly shrink: boolean;
  /** Mutants are searched from seed 1 on, not at their recorded seed. */
  readonly search: boolean;
}

export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const USAGE = `usage: npm run simulate -- [--core C] [--fault F] [--seeds A..B] [--steps N] [--replay SEED|FILE]
  [--mutant NAME|all [--search]] [--budget SECONDS] [--jobs N] [--json] [--list] [--no-shrink]`;

export function parseOptions(args: readonly string[]): Options {
  const values = new Map<string, string>();
  const flags = new Set<string>();
  for (let at = 0; at < args.length; at += 1) {
    const name = args[at] ?? '';
    if (['--json', '--list', '--search', '--no-shrink'].includes(name)) flags.add(name);
    else if (VALUED.has(name)) {
      const value = args[(at += 1)];
      if (value === undefined) throw new UsageError(`option ${name} needs a value`);
      values.set(name, value);
    } else throw new UsageError(`option "${name}" is not known`);
  }
  const cores = values.get('--core')?.split(',') ?? CORES.map(({ name }) => name);
  const faults = (values.get('--fault')?.split(',') ?? FAULTS) as Fault[];
  for (const name of cores)
    if (!CORES.some((core) => core.name === name)) throw new UsageError(`core "${name}" does not exist`);
  for (const name of faults)
    if (!FAULTS.includes(name)) throw new UsageError(`fault "${name}" does not exist`);
  const replay = values.get('--replay') ?? null;
  if (replay !== null && /^\d+$/.test(replay) && !(values.has('--core') && values.has('--fault')))
    throw new UsageError('--replay SEED needs --core and --fault');
  return {
    cores,
    faults,
    seeds: seedsOf(values.get('--seeds') ?? '1..100'),
    steps: wholeOf(values.get('--steps') ?? '500', '--steps'),
    replay,
    mutant: values.get('--mutant') ?? null,
    budgetSeconds: values.has('--budget') ? wholeOf(values.get('--budget') ?? '', '--budget') : Infinity,
    jobs: wholeOf(values.get('--jobs') ?? '0', '--jobs'),
    json: flags.has('--json'),
    list: flags.has('--list'),
    shrink: !flags.has('--no-shrink'),
    search: flags.has('--search'),
  };
}

const VALUED = new Set([
  '--core',
  '--fault',
  '--seeds',
  '--steps',
  '--replay',
  '--mutant',
  '--budget',
  '--jobs',
]);

function seedsOf(text: string): readonly [number, number] {
  const found = /^(\d+)\.\.(\d+)$/.exec(text);
  const [from, to] = [Number(found?.[1]), Number(found?.[2])];
  if (found === null || from > to) throw new UsageError(`--seeds "${text}" is not a range; expected A..B`);
  return [from, to];
}

function wholeOf(text: string, name: string): number {
  if (!/^\d+$/.test(text)) throw new UsageError(`${name} "${text}" is not a whole number`);
  return Number(text);
}

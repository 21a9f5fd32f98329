/** The parsed command line. */
export type Command =
  | { readonly kind: 'usage-error'; readonly message: string }
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | {
      readonly kind: 'run' | 'check' | 'print' | 'migrate';
      readonly file: string | null;
      /** The number of processes that share the main port. */
      readonly workers: number;
    };

const FLAGS = new Map([
  ['--help', 'help'],
  ['--version', 'version'],
  ['--check-config', 'check'],
  ['--print-config', 'print'],
  ['--migrate', 'migrate'],
] as const);

export const USAGE = `Options:
  -c, --config <path>  read exactly this configuration file (.toml, otherwise JSON)
      --workers <n>    run as n processes that share the main port (server, gateway and api; default 1)
      --check-config   check the configuration and exit
      --print-config   print the effective configuration without secrets and exit
      --migrate        make or upgrade the tables of the databases and exit
      --version        print the version and exit
      --help           print this and exit
`;

/** Far above the cores of a machine; each worker is a process of its own. */
const MAX_WORKERS = 64;

const wrong = (message: string): Command => ({ kind: 'usage-error', message });

/** Options that take a value, by every name they have. */
const VALUED = new Map([
  ['--config', { option: 'config', needs: 'a path' }],
  ['-c', { option: 'config', needs: 'a path' }],
  ['--workers', { option: 'workers', needs: `a number from 1 to ${MAX_WORKERS}` }],
] as const);

type Valued = 'config' | 'workers';

/** Parses the arguments after the program's name. `--workers` controls how to run; settings have no options. */
export function readCommandLine(argv: readonly string[]): Command {
  const asked = new Set<string>();
  const given = new Map<Valued, string>();
  for (let index = 0; index < argv.length; index += 1) {
    const [name = '', ...inline] = (argv[index] ?? '').split('=');
    const flag = (FLAGS as ReadonlyMap<string, string>).get(argv[index] ?? '');
    const valued = (VALUED as ReadonlyMap<string, { option: Valued; needs: string }>).get(name);
    if (flag !== undefined) {
      asked.add(flag);
    } else if (valued !== undefined) {
      if (inline.length === 0) index += 1;
      const value = inline.length > 0 ? inline.join('=') : argv[index];
      if (value === undefined || value === '' || (inline.length === 0 && value.startsWith('-'))) {
        return wrong(`${name} needs ${valued.needs}`);
      }
      if (given.has(valued.option)) return wrong(`${name} is given twice`);
      given.set(valued.option, value);
    } else {
      return wrong(`unknown argument ${name}`);
    }
  }
  return commandFor(asked, given);
}

function commandFor(asked: ReadonlySet<string>, given: ReadonlyMap<Valued, string>): Command {
  if (asked.has('help')) return { kind: 'help' };
  if (asked.has('version')) return { kind: 'version' };
  const [kind = 'run', ...others] = (['check', 'print', 'migrate'] as const).filter((one) => asked.has(one));
  if (others.length > 0) return wrong('--check-config, --print-config and --migrate exclude each other');
  const workers = given.get('workers') ?? '1';
  if (!/^[1-9]\d?$/.test(workers) || Number(workers) > MAX_WORKERS)
    return wrong(`--workers needs a number from 1 to ${MAX_WORKERS}`);
  if (kind === 'migrate' && workers !== '1') return wrong('--migrate is done by one process');
  return {
    kind,
    file: given.get('config') ?? null,
    workers: Number(workers),
  };
}

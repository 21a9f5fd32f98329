/** What the command line asks for. */
export type Command =
  | { readonly kind: 'usage-error'; readonly message: string }
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | { readonly kind: 'run' | 'check' | 'print'; readonly file: string | null };

const FLAGS = new Map([
  ['--help', 'help'],
  ['--version', 'version'],
  ['--check-config', 'check'],
  ['--print-config', 'print'],
] as const);

export const USAGE = `Options:
  -c, --config <path>  read exactly this configuration file (.toml, otherwise JSON)
      --check-config   check the configuration and exit
      --print-config   print the effective configuration without secrets and exit
      --version        print the version and exit
      --help           print this and exit
`;

const wrong = (message: string): Command => ({ kind: 'usage-error', message });

/** Reads the arguments behind the program's name. Only `--config` takes a value; no setting has an option. */
export function readCommandLine(argv: readonly string[]): Command {
  const asked = new Set<string>();
  let file: string | null = null;
  for (let index = 0; index < argv.length; index += 1) {
    const [option = '', ...inline] = (argv[index] ?? '').split('=');
    const flag = (FLAGS as ReadonlyMap<string, string>).get(argv[index] ?? '');
    if (flag !== undefined) {
      asked.add(flag);
    } else if (option === '--config' || option === '-c') {
      if (inline.length === 0) index += 1;
      const value = inline.length > 0 ? inline.join('=') : argv[index];
      if (value === undefined || value === '' || (inline.length === 0 && value.startsWith('-'))) {
        return wrong(`${option} needs a path`);
      }
      if (file !== null) return wrong(`${option} is given twice`);
      file = value;
    } else {
      return wrong(`unknown argument ${option}`);
    }
  }
  if (asked.has('help')) return { kind: 'help' };
  if (asked.has('version')) return { kind: 'version' };
  if (asked.has('check') && asked.has('print'))
    return wrong('--check-config and --print-config exclude each other');
  return { kind: asked.has('check') ? 'check' : asked.has('print') ? 'print' : 'run', file };
}

import { Command, CommanderError, Option } from 'commander';
import { type CommandError, usageError } from './errors.js';
import { GLOBAL_FLAGS } from './global-flags.js';
import { unknownWord } from './nearest.js';
import { type CommandSpec, type FlagSpec, flagName } from './spec.js';
import { oneOf, Values } from './values.js';

/** What a command line asks for. */
export type Parsed =
  | { readonly kind: 'help'; readonly path: readonly CommandSpec[] }
  | { readonly kind: 'version'; readonly values: Values }
  | { readonly kind: 'run'; readonly path: readonly CommandSpec[]; readonly values: Values };

/** Thrown by a listener of commander to leave its parser early. */
class HelpWanted {}

export const flagsOf = ({ flags = [] }: CommandSpec): readonly FlagSpec[] => {
  const own = new Set(flags.map(flagName));
  return [...flags, ...GLOBAL_FLAGS.filter((flag) => !own.has(flagName(flag)))];
};

/** Parses the arguments behind the program's name. Throws a `CommandError` for wrong usage. */
export function parse(root: CommandSpec, argv: readonly string[]): Parsed {
  const words = withDefaultCommand(argv);
  let parsed: Parsed | null = null;
  const found = (one: Parsed): void => {
    parsed = one;
  };
  // Commander lets a parent take its own flags behind a subcommand too, so all commands share what was given.
  const program = build(root, [], { seen: new Map(), found });
  try {
    program.parse(words, { from: 'user' });
  } catch (error) {
    if (error instanceof HelpWanted) return { kind: 'help', path: pathOf(root, words) };
    if (error instanceof CommanderError) throw translated(error, root, words);
    throw error;
  }
  if (parsed === null) throw usageError('no command is given', 'carillon help');
  return parsed;
}

/** `carillon` and `carillon --config F` are `carillon serve`. */
function withDefaultCommand(argv: readonly string[]): readonly string[] {
  const [first] = argv;
  if (first === undefined) return ['serve'];
  if (!first.startsWith('-')) return argv;
  if (argv.includes('--help') || argv.includes('-h')) return ['--help'];
  if (argv.includes('--version')) return ['version', ...argv.filter((word) => word !== '--version')];
  return ['serve', ...argv];
}

interface Outcome {
  /** Every occurrence of each flag. */
  readonly seen: Map<string, string[]>;
  readonly found: (parsed: Parsed) => void;
}

function build(spec: CommandSpec, above: readonly CommandSpec[], outcome: Outcome): Command {
  const path = [...above, spec];
  const { seen, found } = outcome;
  const command = new Command(spec.name)
    .exitOverride()
    .configureOutput({ writeErr: () => undefined, writeOut: () => undefined })
    .helpOption(false)
    .helpCommand(false)
    .showSuggestionAfterError(false)
    .allowExcessArguments(false);
  for (const flag of flagsOf(spec)) declare(command, flag, seen);
  for (const { name, isOptional, repeats } of spec.arguments ?? []) {
    const text = `${name}${repeats === true ? '...' : ''}`;
    command.argument(isOptional === true ? `[${text}]` : `<${text}>`);
  }
  for (const child of spec.commands ?? []) command.addCommand(build(child, path, outcome));
  if (spec.commands === undefined) {
    command.action((...given: unknown[]) => {
      const args = given.slice(0, (spec.arguments ?? []).length).flat() as (string | undefined)[];
      const present = args.filter((one) => one !== undefined);
      for (const [index, { values, name }] of (spec.arguments ?? []).entries()) {
        const value = present[index];
        if (values !== undefined && value !== undefined) oneOf(value, name.toLowerCase(), values);
      }
      const values = new Values(present, seen);
      found(values.has('version') ? { kind: 'version', values } : { kind: 'run', path, values });
    });
  }
  return command;
}

function declare(command: Command, flag: FlagSpec, seen: Map<string, string[]>): void {
  const name = flagName(flag);
  const option = new Option(flag.flags);
  command.addOption(option);
  // `--no-color` is announced as `no-color`, which commander otherwise merges with `--color`.
  command.on(`option:${option.name()}`, (value: string | null) => {
    if (name === 'help') throw new HelpWanted();
    const values = seen.get(name) ?? [];
    if (values.length > 0 && flag.repeats !== true) throw usageError(`--${name} is given twice`);
    if (flag.values !== undefined) oneOf(value ?? '', `value of --${name}`, flag.values);
    seen.set(name, [...values, value ?? '']);
  });
}

function translated(error: CommanderError, root: CommandSpec, words: readonly string[]): CommandError {
  const text = error.message.replace(/^error: /, '');
  const spec = pathOf(root, words).at(-1) ?? root;
  const [, quoted = ''] = /'([^']*)'/.exec(text) ?? [];
  if (error.code === 'commander.unknownOption') {
    const known = flagsOf(spec).map((flag) => `--${flagName(flag)}`);
    return usageError(unknownWord('flag', quoted.split('=')[0] ?? quoted, known));
  }
  if (error.code === 'commander.unknownCommand') {
    return usageError(
      unknownWord(
        'command',
        quoted,
        (spec.commands ?? []).map(({ name }) => name),
      ),
    );
  }
  if (error.code === 'commander.help') {
    const known = (spec.commands ?? []).map(({ name }) => name).join(', ');
    return usageError(`a subcommand of "${spec.name}" is missing; expected one of ${known}`);
  }
  if (error.code === 'commander.missingArgument') return usageError(`argument ${quoted} is missing`);
  if (error.code === 'commander.optionMissingArgument') {
    return usageError(`the value of ${/--[a-z0-9-]+/.exec(quoted)?.[0] ?? quoted} is missing`);
  }
  return usageError(text);
}

/** The commands that the words lead through, as far as they are known. */
function pathOf(root: CommandSpec, words: readonly string[]): readonly CommandSpec[] {
  const path = [root];
  for (const word of words) {
    const next = path.at(-1)?.commands?.find(({ name }) => name === word);
    if (next !== undefined) path.push(next);
    else if (!word.startsWith('-')) break;
  }
  return path;
}

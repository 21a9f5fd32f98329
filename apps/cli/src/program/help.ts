import { EXIT_MEANINGS } from './exit-codes.js';
import { GLOBAL_FLAGS } from './global-flags.js';
import { type ArgumentSpec, type CommandSpec, type FlagSpec, flagName } from './spec.js';

const commandName = (path: readonly CommandSpec[]): string => path.map(({ name }) => name).join(' ');

function argumentText({ name, isOptional, repeats }: ArgumentSpec): string {
  const text = `${name}${repeats === true ? '…' : ''}`;
  return isOptional === true ? `[${text}]` : text;
}

/** `carillon publish CHANNEL EVENT [DATA] [flags]`. */
export function synopsis(path: readonly CommandSpec[]): string {
  const command = path.at(-1);
  if (command === undefined) return '';
  const words = [
    commandName(path),
    ...(command.commands === undefined ? [] : ['<command>']),
    ...(command.arguments ?? []).map(argumentText),
    '[flags]',
  ];
  return words.join(' ');
}

/** What a flag does, with its values, repetition and environment variable. */
export function flagAbout({ about, values, env, repeats }: FlagSpec): string {
  const more = [
    ...(values === undefined ? [] : [`one of ${values.join(', ')}`]),
    ...(repeats === true ? ['may be repeated'] : []),
    ...(env === undefined ? [] : [env]),
  ];
  return more.length === 0 ? about : `${about} (${more.join('; ')})`;
}

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = rows.reduce((most, [name]) => Math.max(most, name.length), 0);
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}\n`).join('');
}

/** The help of a command: synopsis, subcommands, flags, environment, exit codes, examples. */
export function helpText(path: readonly CommandSpec[]): string {
  const command = path.at(-1);
  if (command === undefined) return '';
  const own = command.flags ?? [];
  const names = new Set(own.map(flagName));
  const global = GLOBAL_FLAGS.filter((flag) => !names.has(flagName(flag)));
  const rows = (flags: readonly FlagSpec[]): string =>
    columns(flags.map((flag) => [flag.flags, flagAbout(flag)] as const));
  const sections = [
    `${command.about}\n\nUsage: ${synopsis(path)}\n`,
    command.commands === undefined
      ? ''
      : `Commands:\n${columns(command.commands.map(({ name, about }) => [name, about] as const))}`,
    own.length === 0 ? '' : `Flags:\n${rows(own)}`,
    `Global flags:\n${rows(global)}`,
    `Environment: a variable in parentheses gives the value if the flag does not; NO_COLOR turns colours off\n`,
    `Exit codes:\n${columns(EXIT_MEANINGS.map(([code, text]) => [String(code), text] as const))}`,
    command.examples === undefined
      ? ''
      : `Examples:\n${command.examples.map((example) => `  ${example}\n`).join('')}`,
  ];
  return sections.filter((section) => section !== '').join('\n');
}

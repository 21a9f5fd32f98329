import type { Invocation } from './invocation.js';

/** A flag of a command, for parsing, help, completion and the reference page. */
export interface FlagSpec {
  /** `--name`, with `<VALUE>` behind it if it takes one, and `-x, ` before it if it has a short form. */
  readonly flags: string;
  readonly about: string;
  /** Whether it may be given several times. */
  readonly repeats?: true;
  /** The only values it takes. */
  readonly values?: readonly string[];
  readonly env?: string;
}

export interface ArgumentSpec {
  readonly name: string;
  readonly isOptional?: true;
  readonly repeats?: true;
  /** The only values it takes. */
  readonly values?: readonly string[];
}

/** The code of a command, loaded when the command runs. Resolves with the exit code; undefined: 0. */
export interface CommandModule {
  readonly run: (invocation: Invocation) => Promise<number | void>;
}

/** A command, or a group of commands if it has `commands`. */
export interface CommandSpec {
  readonly name: string;
  readonly about: string;
  readonly arguments?: readonly ArgumentSpec[];
  readonly flags?: readonly FlagSpec[];
  readonly examples?: readonly string[];
  readonly commands?: readonly CommandSpec[];
  /** Whether it ends on a signal with exit code 0, as streams do. */
  readonly isStream?: true;
  readonly load?: () => Promise<CommandModule>;
}

/** The long name of a flag, without dashes. */
export function flagName({ flags }: FlagSpec): string {
  return /--([a-z0-9-]+)/.exec(flags)?.[1] ?? flags;
}

export const takesValue = ({ flags }: FlagSpec): boolean => flags.includes('<');

import type { Readable } from 'node:stream';
import type { Terminal } from '../output/terminal.js';
import type { Connection } from '../settings/connection.js';
import type { Values } from './values.js';

export type Env = Readonly<Record<string, string | undefined>>;

/** Texts made from the command tree, which commands cannot import: it imports them. */
export interface ProgramTexts {
  /** The help of the command that the words name. Throws a usage error for unknown words. */
  help(words: readonly string[]): string;
  completion(shell: 'bash' | 'fish' | 'zsh', profiles: readonly string[]): string;
}

/** One call of a command. */
export interface Invocation {
  readonly values: Values;
  readonly texts: ProgramTexts;
  readonly terminal: Terminal;
  readonly env: Env;
  readonly cwd: string;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  /** Aborted by SIGINT and SIGTERM with an `interrupted` error as the reason. */
  readonly signal: AbortSignal;
  /** Addresses and credentials by their precedence; resolved when first asked for. */
  connection(): Promise<Connection>;
  /** Reads standard input; a second reader in one call is a usage error. */
  claimStdin(reader: string): void;
}

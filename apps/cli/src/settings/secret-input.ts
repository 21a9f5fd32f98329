import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { usageError } from '../program/errors.js';
import type { Invocation } from '../program/invocation.js';
import { readStdin } from './stdin.js';

type Reader = Pick<Invocation, 'claimStdin' | 'cwd' | 'signal' | 'stdin' | 'terminal'>;

const MAX_SECRET_BYTES = 65_536;

/**
 * The secret of a flag or argument: `-` reads standard input up to the first line feed, `@FILE` a file. A literal value
 * is visible to other users of the machine, so it causes a warning on a terminal.
 */
export async function readSecret(text: string, name: string, reader: Reader): Promise<string> {
  if (text === '-') {
    reader.claimStdin(name);
    const bytes = await readStdin(reader, { maxBytes: MAX_SECRET_BYTES, untilLineFeed: true });
    return required(bytes.toString('utf8').split('\n')[0]?.replace(/\r$/, '') ?? '', name);
  }
  if (text.startsWith('@')) {
    try {
      const content = readFileSync(resolve(reader.cwd, text.slice(1)), 'utf8');
      return required(content.split('\n')[0]?.replace(/\r$/, '') ?? '', name);
    } catch (error) {
      if (!('errno' in Object(error))) throw error;
      throw usageError(`${name}: file "${text.slice(1)}" cannot be read`);
    }
  }
  if (reader.terminal.isInteractive)
    reader.terminal.warn(`${name} is visible in the process list; give "-" or "@FILE" instead`);
  return required(text, name);
}

function required(text: string, name: string): string {
  if (text === '') throw usageError(`${name} is empty`);
  return text;
}

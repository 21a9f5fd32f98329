import { createInterface } from 'node:readline/promises';
import { failure, usageError } from '../program/errors.js';
import type { Invocation } from '../program/invocation.js';
import { escapeText } from './escape.js';

/** Requires the name of the affected item to be typed on a terminal, or `--yes`. */
export async function confirm(invocation: Invocation, action: string, name: string): Promise<void> {
  const { values, terminal, stdin, signal } = invocation;
  if (values.has('yes')) return;
  if (!terminal.isInteractive || stdin.isTTY !== true)
    throw usageError(`"${action}" needs a confirmation`, 'repeat the command with --yes');
  const lines = createInterface({ input: stdin, output: process.stderr });
  try {
    const typed = await lines.question(`${action}: type ${escapeText(name)} to confirm: `, { signal });
    if (typed !== name) throw failure(`"${action}" is not confirmed`);
  } finally {
    lines.close();
  }
}

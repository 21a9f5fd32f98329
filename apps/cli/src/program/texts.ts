import { completionScript } from './completion.js';
import { usageError } from './errors.js';
import { helpText } from './help.js';
import type { ProgramTexts } from './invocation.js';
import { unknownWord } from './nearest.js';
import type { CommandSpec } from './spec.js';

/** Texts made from a command tree. */
export const textsOf = (root: CommandSpec): ProgramTexts => ({
  help: (words) => helpText(pathTo(root, words)),
  completion: (shell, profiles) => completionScript(shell, root, profiles),
});

function pathTo(root: CommandSpec, words: readonly string[]): readonly CommandSpec[] {
  const path = [root];
  for (const word of words) {
    const known = path.at(-1)?.commands ?? [];
    const next = known.find(({ name }) => name === word);
    if (next === undefined && known.length === 0) throw usageError(`unknown command "${word}"`);
    if (next === undefined)
      throw usageError(
        unknownWord(
          'command',
          word,
          known.map(({ name }) => name),
        ),
      );
    path.push(next);
  }
  return path;
}

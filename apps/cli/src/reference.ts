import { EXIT_MEANINGS } from './program/exit-codes.js';
import { GLOBAL_FLAGS } from './program/global-flags.js';
import { flagAbout, synopsis } from './program/help.js';
import type { CommandSpec, FlagSpec } from './program/spec.js';
import { COMMANDS } from './tree.js';

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');

const flagTable = (flags: readonly FlagSpec[]): string =>
  `| flag | meaning |\n|---|---|\n${flags
    .map((flag) => `| \`${flag.flags.replaceAll('|', '\\|')}\` | ${cell(flagAbout(flag))} |\n`)
    .join('')}`;

function section(path: readonly CommandSpec[]): string {
  const command = path.at(-1);
  if (command === undefined) return '';
  const own =
    command.commands === undefined
      ? [
          `### ${path
            .slice(1)
            .map(({ name }) => name)
            .join(' ')}\n`,
          `${command.about}\n`,
          `\`\`\`\n${synopsis(path)}\n\`\`\`\n`,
          ...(command.flags === undefined ? [] : [flagTable(command.flags)]),
          `\`\`\`sh\n${(command.examples ?? []).join('\n')}\n\`\`\`\n`,
        ].join('\n')
      : '';
  const children = (command.commands ?? []).map((child) => section([...path, child]));
  return [own, ...children].filter((text) => text !== '').join('\n');
}

/** The reference page of the command, written from the command tree. */
export function referencePage(): string {
  return `# Reference: the command

Generated from \`apps/cli/src/trees\`; the guide is [command.md](../command.md).

## Global flags

Flags may stand anywhere behind the command, as \`--name value\` or \`--name=value\`; \`--\` ends them.

${flagTable(GLOBAL_FLAGS)}
## Exit codes

| code | meaning |
|---|---|
${EXIT_MEANINGS.map(([code, text]) => `| ${code} | ${text} |\n`).join('')}
## Commands

${section([COMMANDS])}`;
}

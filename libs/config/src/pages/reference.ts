import type { LeafNode } from '../kernel/node.js';
import { leavesOf, type PlacedLeaf } from '../kernel/walk.js';
import { noteOnEffect } from '../rules/without-effect.js';
import { boundsText, envNames, lastKey, plainDefault, sections, type Section } from './entries.js';

const code = (text: string): string => `\`${text}\``;
const cell = (text: string): string => (text === '' ? '–' : text.replaceAll('|', '\\|'));

function defaultText(node: LeafNode<unknown>): string {
  if (node.derived !== null) return node.derived;
  const value = plainDefault(node);
  return value === null ? 'unset' : code(JSON.stringify(value));
}

function row({ path, node }: PlacedLeaf): string {
  const type = node.unit === null ? node.type.name : `${node.type.name}, ${node.unit}`;
  const env = envNames(node).map(code).join(' ');
  const aliases = node.aliases.length === 0 ? '' : `. Also as ${node.aliases.map(code).join(', ')}`;
  const note = noteOnEffect(path);
  const cells = [
    code(lastKey(path)),
    type,
    defaultText(node),
    boundsText(node),
    env,
    `${node.meaning}${aliases}${note === null ? '' : `. **${note}**`}`,
  ];
  return `| ${cells.map(cell).join(' | ')} |`;
}

const HEAD = ['| key | type | default | bounds | environment | meaning |', '|---|---|---|---|---|---|'];

function rowsTable({ path, node }: PlacedLeaf): readonly string[] {
  if (node.rows === null) return [];
  return ['', `### ${code(`[[${path}]]`)}`, '', ...HEAD, ...leavesOf(node.rows).map(nested)];
}

const nested = (leaf: PlacedLeaf): string => row(leaf).replace(code(lastKey(leaf.path)), code(leaf.path));

function section({ path, leaves }: Section): readonly string[] {
  const title = path === '' ? 'Top of the file' : code(`[${path}]`);
  return ['', `## ${title}`, '', ...HEAD, ...leaves.map(row), ...leaves.flatMap(rowsTable)];
}

/** The page with every setting. */
export function referencePage(): string {
  return [
    '# Configuration',
    '',
    'Generated from `libs/config/src/schema`; do not edit.',
    '',
    'Defaults, then one file (`--config <path>`, else `config/config.toml`, else `config/config.json`), then the',
    'variables named here; later sources win. Where a setting has several variables the last one wins; a variable',
    'that is set but empty is ignored unless it clears an optional setting. In the file `${NAME}` and',
    '`${NAME:-default}` stand for variables. `--check-config` checks, `--print-config` shows what is in effect.',
    ...sections().flatMap(section),
    '',
  ].join('\n');
}

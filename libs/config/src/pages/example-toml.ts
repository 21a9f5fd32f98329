import { stringify } from 'smol-toml';
import type { PlacedLeaf } from '../kernel/walk.js';
import { boundsText, envNames, lastKey, plainDefault, sections, type Section } from './entries.js';

function assignment(key: string, value: unknown): string {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return `${key} = {}`;
  return stringify({ [key]: value }).trimEnd();
}

/** A remark starts with `# `, a setting that may be uncommented with `#` alone. */
function setting({ path, node }: PlacedLeaf): readonly string[] {
  const key = lastKey(path);
  const value = plainDefault(node);
  const variables = envNames(node).join(' ');
  const notes = [node.unit ?? '', boundsText(node), variables].filter((note) => note !== '').join('; ');
  const remark = `# ${node.meaning}${notes === '' ? '' : ` (${notes})`}`;
  if (value !== null) return [remark, `#${assignment(key, value)}`];
  return [remark, `# ${key}: default ${node.derived ?? 'unset'}`];
}

function section({ path, leaves }: Section): readonly string[] {
  return [...(path === '' ? [] : ['', `[${path}]`]), ...leaves.flatMap(setting)];
}

/** Returns a configuration file with every default commented out. */
export function exampleToml(): string {
  return [
    '# Every setting with its default. Generated from libs/config/src/schema; copy it to config/config.toml and',
    '# uncomment what you change. Remarks name type limits and environment variables; the environment wins.',
    '',
    ...sections().flatMap(section),
    '',
  ].join('\n');
}

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { METRICS } from '../src/metrics/metric-definitions.js';

const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url));
/** Declarations of metrics, which do not count as uses. */
const ROWS = 'libs/platform/runtime/src/metrics/rows/';

const folders = (parent: string): string[] =>
  readdirSync(join(ROOT, parent)).map((name) => `${parent}/${name}`);

function* sourceFiles(folder: string): Generator<string> {
  if (!existsSync(join(ROOT, folder))) return;
  for (const entry of readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(ROOT.length);
    if (entry.isFile() && path.endsWith('.ts') && !path.startsWith(ROWS)) yield path;
  }
}

it('every metric is counted by some part of the service, or says that it is never shown', () => {
  const source = [...folders('libs'), ...folders('libs').flatMap(folders), ...folders('apps')]
    .flatMap((folder) => [...sourceFiles(`${folder}/src`)])
    .map((file) => readFileSync(join(ROOT, file), 'utf8'))
    .join('\n');
  const isCounted = (name: string): boolean => source.includes(`'${name}'`) || source.includes(`\`${name}\``);
  const rows = Object.entries(METRICS);
  expect(rows.filter(([name]) => !isCounted(name)).map(([name]) => name)).toEqual(
    rows.filter(([, { help }]) => help.startsWith('Never shown: ')).map(([name]) => name),
  );
});

// Writes every page that is generated from a single source; with --check, only says which have drifted.
// A room takes part by having src/generated-pages.ts, which exports `generatedPages(): { path, content }[]`.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packages, root, say } from './workspace.js';

const check = process.argv.includes('--check');
const drifted = [];
for (const { folder } of packages()) {
  const module = join(root, folder, 'dist/src/generated-pages.js');
  if (!existsSync(module)) continue;
  const { generatedPages } = await import(pathToFileURL(module).href);
  for (const { path, content } of generatedPages()) {
    const target = join(root, path);
    if (existsSync(target) && readFileSync(target, 'utf8') === content) continue;
    drifted.push(path);
    if (check) continue;
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
    say(`wrote ${path}`);
  }
}
if (check && drifted.length > 0) {
  say(`out of date, run npm run generate: ${drifted.join(', ')}`);
  process.exit(1);
}

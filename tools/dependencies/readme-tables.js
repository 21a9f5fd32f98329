// Checks that the tables "rule → file" of package READMEs name existing files.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../run/workspace.js';

const HEADER = /^\| *[^|]* *\| *file *\|$/i;

/** Returns the paths in code marks of the `file` column of every table that ends with one. */
export function namedFiles(page) {
  const named = [];
  let isInside = false;
  for (const line of page.split('\n')) {
    if (HEADER.test(line)) isInside = true;
    else if (!line.startsWith('|')) isInside = false;
    else if (isInside) {
      const cell = line.replace(/\|$/, '').slice(line.replace(/\|$/, '').lastIndexOf('|'));
      named.push(
        ...[...cell.matchAll(/`([\w./-]+\.(?:ts|js|lua)|[\w.-]+(?:\/[\w.-]+)+)`/g)].map(([, path]) => path),
      );
    }
  }
  return named;
}

/** Returns one line per missing file. */
export function readmeProblems(packages) {
  return packages.flatMap(({ folder }) => {
    const page = join(root, folder, 'README.md');
    if (!existsSync(page)) return [];
    const bases = [join(root, folder, 'src'), join(root, folder), root];
    return namedFiles(readFileSync(page, 'utf8'))
      .filter((path) => !bases.some((base) => existsSync(join(base, path))))
      .map((path) => `${folder}/README.md: names ${path}, which does not exist`);
  });
}

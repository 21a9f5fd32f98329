// Tables of a room's page that lead to files (`rule → file`) lead to files that are there.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../run/workspace.js';

const HEADER = /^\| *[^|]* *\| *file *\|$/i;

/** The texts in code marks of the last column of every table whose last column is `file`. */
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

/** One line for every file that is named and not there. */
export function tableProblems(rooms) {
  return rooms.flatMap(({ folder }) => {
    const page = join(root, folder, 'README.md');
    if (!existsSync(page)) return [];
    const places = [join(root, folder, 'src'), join(root, folder), root];
    return namedFiles(readFileSync(page, 'utf8'))
      .filter((path) => !places.some((place) => existsSync(join(place, path))))
      .map((path) => `${folder}/README.md: there is no ${path}`);
  });
}

// One word for one thing: names of files and of what they export hold no word that the glossary has another for.
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { root } from '../run/workspace.js';

/** Says nothing about what is in it. */
const EMPTY = ['helper', 'helpers', 'mgr', 'misc', 'util', 'utils'];

/** The words of the last column of the glossary, each with the word to use instead. */
export function secondWords(glossary) {
  const rows = glossary.matchAll(/^\| ([^|]+?) \| [^|]* \| ([^|]*?) ?\|$/gm);
  const found = new Map(EMPTY.map((word) => [word, null]));
  for (const [, word, others] of rows) {
    if (word === 'word' || /^-+$/.test(word)) continue;
    for (const other of others.split(',')) if (other.trim() !== '') found.set(other.trim(), word);
  }
  return found;
}

/** `HTTPServer_of-lanes` is `http`, `server`, `of` and `lanes`. */
export const wordsOf = (name) =>
  name
    .split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase());

function exportedNames(file) {
  const { module } = parseSync(file, readFileSync(join(root, file), 'utf8'));
  return module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ exportName }) => (exportName.name === null ? [] : [exportName.name])),
  );
}

/** One line for every name with a second word for something. */
export function wordProblems(rooms, glossary = readFileSync(join(root, 'docs/glossary.md'), 'utf8')) {
  const second = secondWords(glossary);
  // The client's names are those that its users know from elsewhere.
  const files = rooms
    .filter(({ floor }) => floor !== 'client' && floor !== 'tool')
    .flatMap(({ files }) => files.filter(({ part }) => part === 'src').map(({ file }) => file));
  return files.flatMap((file) =>
    [basename(file).replace(/\.(ts|js)$/, ''), ...exportedNames(file)].flatMap((name) =>
      wordsOf(name)
        .filter((word) => second.has(word))
        .map((word) => {
          const instead = second.get(word);
          return `${file}: ${name}: ${instead === null ? `\`${word}\` says nothing` : `the word is ${instead}, see docs/glossary.md`}`;
        }),
    ),
  );
}

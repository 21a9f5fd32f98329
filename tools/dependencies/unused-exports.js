// Finds exports without an importer, in files and in the index of packages. Types and classes that their own file mentions
// are excluded: they belong to the signatures of other exports.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { parseSync } from 'oxc-parser';
import { packages, root } from '../run/workspace.js';

/** Folders of files that may import something. */
const TOP_FOLDERS = ['apps', 'libs', 'tools', 'deploy'];
/** Published packages, whose importers are elsewhere. */
const PUBLISHED = /^libs\/client\//;
/** Imported by `tools/run/generate.js` with a computed path. */
const COMPUTED = /\/src\/generated-pages\.ts$/;
const EVERYTHING = '*';

function* filesBelow(folder) {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== 'node_modules' && entry.name !== 'dist')
      yield* filesBelow(path);
    else if (entry.isFile() && /(?<!\.d)\.ts$|\.js$/.test(entry.name)) yield path;
  }
}

const nameOf = ({ kind, name }) => (kind === 'Name' ? name : kind === 'Default' ? 'default' : EVERYTHING);

/** Returns the exported names of an import list. */
const namesIn = (list) => list.split(',').flatMap((one) => one.trim().split(/ as |:/)[0] || []);

/** Returns the used members of a namespace import; `*` if the namespace itself is used. */
function membersOf(text, local) {
  const uses = [...text.matchAll(new RegExp(`(?<![\\w$.'"\`/-])${local}\\b(?:\\.(\\w+))?`, 'g'))].slice(1);
  return uses.map(([, member]) => member ?? EVERYTHING);
}

/** Returns the imports of a file (`takes`) and its exports (`gives`). */
function namesOf(path, text) {
  const { module } = parseSync(path, text);
  const takes = module.staticImports.flatMap(({ moduleRequest: { value: from }, entries }) =>
    entries.flatMap(({ importName, localName }) => {
      const name = nameOf(importName);
      const names = name === EVERYTHING ? membersOf(text, localName.value) : [name];
      return names.map((one) => ({ from, name: one }));
    }),
  );
  for (const { start, moduleRequest } of module.dynamicImports) {
    const from = text.slice(moduleRequest.start + 1, moduleRequest.end - 1);
    const [, names = EVERYTHING] = /const \{([^{}]*)\} = await $/.exec(text.slice(0, start)) ?? [];
    takes.push(...namesIn(names).map((name) => ({ from, name })));
  }
  // JSDoc imports of scripts.
  for (const [, from, name] of text.matchAll(/import\('([^']+)'\)\.(\w+)/g)) takes.push({ from, name });
  for (const [, from] of text.matchAll(/typeof import\('([^']+)'\)/g)) takes.push({ from, name: EVERYTHING });
  for (const [, names, from] of text.matchAll(/@import \{([^}]*)\} from '([^']+)'/g))
    takes.push(...namesIn(names).map((name) => ({ from, name })));
  const gives = module.staticExports.flatMap(({ entries }) =>
    entries.map(({ exportName, importName, moduleRequest, isType }) => ({
      name: nameOf(exportName),
      from: moduleRequest?.value ?? null,
      as: moduleRequest === null ? null : nameOf(importName),
      isType,
    })),
  );
  return { text, takes, gives };
}

/** Whether a file mentions a name besides its export. */
const mentions = (text, name) =>
  [...text.matchAll(new RegExp(`(?<![\\w$])${name}(?![\\w$])`, 'g'))].length > 1;

const isDeclaredType = (text, name) =>
  new RegExp(`^export (abstract )?(class|interface|type) ${name}\\b`, 'm').test(text);

/**
 * Returns one line per export without an importer, sorted.
 *
 * @param texts contents of the files by path
 * @param entries paths of the entries of packages by import specifier
 */
export function unusedExports(texts, entries) {
  const files = new Map([...texts].map(([path, text]) => [path, namesOf(path, text)]));
  const found = (path, request) => {
    const target = request.startsWith('.') ? normalize(join(dirname(path), request)) : entries.get(request);
    const source = target?.replace('/dist/', '/');
    return [source?.replace(/\.js$/, '.ts'), source].find((one) => one !== undefined && files.has(one));
  };
  const taken = new Set();
  const take = (path, name) => {
    if (path === undefined || taken.has(`${path} ${name}`)) return;
    taken.add(`${path} ${name}`);
    for (const give of files.get(path).gives) {
      if (give.from === null) continue;
      if (give.name === name || name === EVERYTHING) take(found(path, give.from), give.as);
      else if (give.name === EVERYTHING) take(found(path, give.from), name);
    }
  };
  for (const [path, { takes, gives }] of files) {
    for (const { from, name } of takes) take(found(path, from), name);
    // Re-exported types count as used: importers of other exports may name them.
    for (const { from, as, isType } of gives) if (isType && from !== null) take(found(path, from), as);
  }
  const isUnused = (path, text, { name, from, isType }) => {
    if (name === 'default' || name === EVERYTHING) return false;
    if (taken.has(`${path} ${name}`) || taken.has(`${path} ${EVERYTHING}`)) return false;
    if (from !== null) return !isType;
    return !isDeclaredType(text, name) || !mentions(text, name);
  };
  return [...files]
    .filter(([path]) => !PUBLISHED.test(path) && !COMPUTED.test(path))
    .flatMap(([path, { text, gives }]) =>
      gives
        .filter((give) => isUnused(path, text, give))
        .map(({ name }) => `${path}: ${name} has no importer`),
    )
    .sort();
}

/** Returns the path of each entry of a package by import specifier. */
function entriesOf({ folder, name, manifest }) {
  const entries = Object.entries(manifest.exports ?? {});
  return entries.flatMap(([entry, { default: path }]) =>
    path === undefined ? [] : [[`${name}${entry.slice(1)}`, join(folder, path)]],
  );
}

/** Checks the whole workspace. */
export function unusedExportProblems() {
  const folders = TOP_FOLDERS.filter((folder) => existsSync(join(root, folder)));
  const paths = folders.flatMap((folder) => [...filesBelow(folder)]);
  const texts = paths.map((path) => [relative('.', path), readFileSync(join(root, path), 'utf8')]);
  return unusedExports(new Map(texts), new Map(packages().flatMap(entriesOf)));
}

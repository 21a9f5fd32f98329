// Names that a file exports and nobody imports: what is used beside itself only stands without `export`, and what is used
// nowhere is deleted. A room's index is held to the same, so that a room offers what others ask of it. Types, and classes,
// which are types too, are left alone where their file mentions them: those of what it exports are part of that.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { parseSync } from 'oxc-parser';
import { packages, root } from '../run/workspace.js';

/** Where files are that may import something. */
const SHELVES = ['apps', 'libs', 'tools', 'deploy'];
/** Rooms for other people's programs, which are not here. */
const FOR_OTHERS = /^libs\/client\//;
/** Asked for by a name that is put together: `tools/run/generate.js` looks into every room. */
const BY_NAME = /\/src\/generated-pages\.ts$/;
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

/** The names of a list, as they are called where they come from. */
const namesIn = (list) => list.split(',').flatMap((one) => one.trim().split(/ as |:/)[0] || []);

/** What is asked of a module that is imported as a whole: everything, when it is looked through. */
function membersOf(text, local) {
  const uses = [...text.matchAll(new RegExp(`(?<![\\w$.'"\`/-])${local}\\b(?:\\.(\\w+))?`, 'g'))].slice(1);
  return uses.map(([, member]) => member ?? EVERYTHING);
}

/** What a file takes of others, by their paths as it writes them, and what it exports. */
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
  // Scripts ask for types in their comments.
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

/** Whether a file says more of a name than that it exports it. */
const mentions = (text, name) =>
  [...text.matchAll(new RegExp(`(?<![\\w$])${name}(?![\\w$])`, 'g'))].length > 1;

const isDeclaredType = (text, name) =>
  new RegExp(`^export (abstract )?(class|interface|type) ${name}\\b`, 'm').test(text);

/**
 * One line for each name that is exported for nobody, sorted.
 *
 * @param texts what stands in each file, by its path
 * @param rooms the path of the index of each room, by its name; of further entries, by theirs
 */
export function idleNames(texts, rooms) {
  const files = new Map([...texts].map(([path, text]) => [path, namesOf(path, text)]));
  const found = (path, request) => {
    const target = request.startsWith('.') ? normalize(join(dirname(path), request)) : rooms.get(request);
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
    // What a type that others meet is called may be asked for one day.
    for (const { from, as, isType } of gives) if (isType && from !== null) take(found(path, from), as);
  }
  const isIdle = (path, text, { name, from, isType }) => {
    if (name === 'default' || name === EVERYTHING) return false;
    if (taken.has(`${path} ${name}`) || taken.has(`${path} ${EVERYTHING}`)) return false;
    if (from !== null) return !isType;
    return !isDeclaredType(text, name) || !mentions(text, name);
  };
  return [...files]
    .filter(([path]) => !FOR_OTHERS.test(path) && !BY_NAME.test(path))
    .flatMap(([path, { text, gives }]) =>
      gives.filter((give) => isIdle(path, text, give)).map(({ name }) => `${path}: nobody imports ${name}`),
    )
    .sort();
}

/** Where the entries of a room are written, by what they are imported by. */
function entriesOf({ folder, name, manifest }) {
  const entries = Object.entries(manifest.exports ?? {});
  return entries.flatMap(([entry, { default: path }]) =>
    path === undefined ? [] : [[`${name}${entry.slice(1)}`, join(folder, path)]],
  );
}

/** The same for the house. */
export function idleProblems() {
  const paths = SHELVES.filter((shelf) => existsSync(join(root, shelf))).flatMap((shelf) => [
    ...filesBelow(shelf),
  ]);
  const texts = paths.map((path) => [relative('.', path), readFileSync(join(root, path), 'utf8')]);
  return idleNames(new Map(texts), new Map(packages().flatMap(entriesOf)));
}

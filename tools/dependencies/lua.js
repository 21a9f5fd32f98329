// Checks Lua scripts: syntax, undefined names, unused parameters.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import luaparse from 'luaparse';
import { root } from '../run/workspace.js';

/** Globals of the server. */
const SERVER = new Set(
  'redis cjson cmsgpack bit string math table tonumber tostring ipairs pairs unpack type next select'.split(
    ' ',
  ),
);

/** Returns the names listed behind `--word:` in the head of a script. */
function listed(text, word) {
  const [, names = ''] = new RegExp(`^--${word}:(.*)$`, 'm').exec(text) ?? [];
  return names.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]));
}

/** Returns the free names of a file and the names it declares at top level. */
function namesOf(text) {
  const used = new Set();
  const ast = luaparse.parse(text, { luaVersion: '5.1', scope: true, comments: false });
  for (const { name } of ast.globals) used.add(name);
  const declared = ast.body.flatMap((statement) => {
    if (statement.type === 'LocalStatement') return statement.variables.map(({ name }) => name);
    if (statement.type === 'FunctionDeclaration' && statement.isLocal) return [statement.identifier.name];
    return [];
  });
  return { used, declared };
}

/**
 * Returns one line per problem. Names that begin with `_` may be unused.
 *
 * @param text the script
 * @param read returns the text of another script of the folder
 * @param constants names defined for all scripts of the folder
 */
export function scriptProblems(text, read, constants) {
  const uses = listed(text, 'uses');
  const given = ['keys', 'numbers', 'args', 'rest'].flatMap((word) => listed(text, word));
  const group = listed(text, 'group');
  try {
    const parts = [...uses.map((name) => namesOf(read(name))), namesOf(text)];
    const known = new Set([
      ...SERVER,
      ...given,
      ...constants,
      ...(group.length > 0 ? ['group', 'group_count'] : []),
    ]);
    const problems = [];
    for (const { used, declared } of parts) {
      for (const name of used) if (!known.has(name)) problems.push(`${name} is not defined`);
      for (const name of declared) known.add(name);
    }
    const used = new Set(parts.flatMap((part) => [...part.used]));
    return [
      ...problems,
      ...given
        .filter((name) => !used.has(name) && !name.startsWith('_'))
        .map((name) => `${name} is a parameter that is not used`),
    ];
  } catch (error) {
    return [error.message];
  }
}

function* scripts(folder) {
  const source = join(root, folder, 'src');
  if (!existsSync(source)) return;
  for (const entry of readdirSync(source, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() && entry.name.endsWith('.lua')) yield join(entry.parentPath, entry.name);
  }
}

/** Checks the scripts of all packages; included scripts together with those that include them. */
export function luaProblems(packages) {
  return packages.flatMap(({ folder }) => {
    const files = [...scripts(folder)];
    const texts = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));
    const used = new Set([...texts.values()].flatMap((text) => listed(text, 'uses')));
    return files
      .filter((file) => !used.has(file.slice(file.lastIndexOf('/') + 1, -'.lua'.length)))
      .flatMap((file) =>
        scriptProblems(
          texts.get(file),
          (name) => texts.get(join(dirname(file), `${name}.lua`)) ?? '',
          CONSTANTS,
        ).map((problem) => `${relative(root, file)}: ${problem}`),
      );
  });
}

/** Constants of the program, in capitals. */
const CONSTANTS = ['LEFTOVER', 'SLACK'];

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { LeafNode } from '../src/kernel/node.js';
import { leavesOf } from '../src/kernel/walk.js';
import { schema } from '../src/schema/index.js';
import { configured } from './harness.js';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const HOME = 'libs/config/src';

/** Folders that declare, show or compare settings, which is no use of them. */
const NO_USE = ['schema', 'pages', 'rules', 'apps'].map((folder) => `${HOME}/${folder}/`);

function* sourceFiles(folder: string): Generator<string> {
  for (const entry of readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })) {
    if (entry.isFile() && entry.name.endsWith('.ts'))
      yield join(entry.parentPath, entry.name).slice(ROOT.length);
  }
}

const folders = (parent: string): string[] =>
  readdirSync(join(ROOT, parent)).map((name) => `${parent}/${name}`);

/** Folders of packages, and some without sources. */
const PACKAGES = [...folders('libs'), ...folders('libs').flatMap(folders), ...folders('apps')];

function isPort(folder: string): boolean {
  const project = join(ROOT, folder, 'project.json');
  return existsSync(project) && readFileSync(project, 'utf8').includes('"layer:port"');
}

/** Returns the sources of packages, without comments and the schema. */
function source(packages: readonly string[]): string {
  return packages
    .map((folder) => `${folder}/src`)
    .filter((folder) => existsSync(join(ROOT, folder)))
    .flatMap((folder) => [...sourceFiles(folder)])
    .filter((file) => !NO_USE.some((folder) => file.startsWith(folder)))
    .map((file) => readFileSync(join(ROOT, file), 'utf8'))
    .join('\n')
    .replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '');
}

/** Every word, and the ends of names that are put together, as in `${provider}_enabled`. */
function wordsOf(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(/\}_[a-z0-9_]+|[A-Za-z0-9_]+/g)].map(([word]) => word));
}

/** Each key of the path is an identifier of the program. Keys are whole words, so false positives are rare. */
function isRead(path: string, words: ReadonlySet<string>): boolean {
  return path.split('.').every((key) => {
    const ends = [...key.matchAll(/_/g)].map(({ index }) => `}${key.slice(index)}`);
    return words.has(key) || ends.some((end) => words.has(end));
  });
}

/** Another value than the default, as a file gives it. */
function otherValue({ type: { name, jsonSchema }, default: initial }: LeafNode<unknown>): unknown {
  const words = jsonSchema['enum'] as readonly unknown[] | undefined;
  if (words !== undefined) return words.find((word) => word !== initial);
  if (name === 'bool') return initial !== true;
  if (/^[uf]\d/.test(name)) return Number(initial ?? 0) + 1;
  return name.startsWith('list') ? ['other'] : 'other';
}

const nested = (path: string, value: unknown): unknown =>
  path.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);

function isRefused(path: string, node: LeafNode<unknown>): boolean {
  const outcome = configured({ json: nested(path, otherValue(node)) });
  return outcome.kind === 'exit' && outcome.stderr.includes(`${path}: has no effect`);
}

/** Settings of a missing driver are refused with the driver: no port uses its block. */
function isOfMissingDriver(path: string, words: ReadonlySet<string>): boolean {
  const [section = '', block = '', ...rest] = path.split('.');
  return (
    ['adapter', 'queue', 'database', 'history'].includes(section) && rest.length > 0 && !words.has(block)
  );
}

it('every setting is read by the service, or refused where it would do nothing', () => {
  const words = wordsOf(source(PACKAGES));
  const wordsOfPorts = wordsOf(source(PACKAGES.filter(isPort)));
  const idle = leavesOf(schema).filter(
    ({ path, node }) =>
      !isRead(path, words) && !isOfMissingDriver(path, wordsOfPorts) && !isRefused(path, node),
  );
  expect(idle.map(({ path }) => path)).toEqual([]);
});

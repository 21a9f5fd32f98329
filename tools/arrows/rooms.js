// Reads the rooms and every import their files make, parsed rather than guessed.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseSync } from 'oxc-parser';
import { packages, root } from '../run/workspace.js';

/** The floor a room is on, as its folder says. The error table lies under the rest of the ground. */
function floorOf(folder) {
  const [top, floor, room] = folder.split('/');
  if (top !== 'libs') return top.replace(/s$/, '');
  return floor === 'ground' && room === 'errors' ? 'errors' : floor;
}

function* sources(folder) {
  for (const part of ['src', 'test']) {
    const base = join(root, folder, part);
    if (!existsSync(base)) continue;
    for (const entry of readdirSync(base, { recursive: true, withFileTypes: true })) {
      if (entry.isFile() && /\.(ts|js)$/.test(entry.name)) {
        yield { part, file: relative(root, join(entry.parentPath, entry.name)) };
      }
    }
  }
}

function importsOf(file) {
  const { module, errors } = parseSync(file, readFileSync(join(root, file), 'utf8'));
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  const reexports = module.staticExports.flatMap((statement) =>
    statement.entries.map((e) => e.moduleRequest),
  );
  const requests = [
    ...module.staticImports.map((statement) => statement.moduleRequest.value),
    ...reexports.filter(Boolean).map((request) => request.value),
    ...dynamicRequests(file, module.dynamicImports),
  ];
  return [...new Set(requests)];
}

function dynamicRequests(file, dynamicImports) {
  const text = readFileSync(join(root, file), 'utf8');
  return dynamicImports
    .map(({ moduleRequest }) => text.slice(moduleRequest.start, moduleRequest.end))
    .filter((literal) => /^['"`][^$]+['"`]$/.test(literal))
    .map((literal) => literal.slice(1, -1));
}

/** Every room with its floor, its declared dependencies and its imports. */
export function readRooms() {
  return packages().map(({ folder, name, manifest }) => {
    const config = join(root, folder, 'tsconfig.json');
    const references = existsSync(config)
      ? (JSON.parse(readFileSync(config, 'utf8')).references ?? []).map(({ path }) =>
          relative(root, resolve(root, folder, path)),
        )
      : [];
    return {
      folder,
      name,
      floor: floorOf(folder),
      entries: Object.keys(manifest.exports ?? {}),
      // What a package's users bring is declared too.
      dependencies: Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }),
      devDependencies: Object.keys({ ...manifest.devDependencies }),
      references,
      compiled: existsSync(config),
      files: [...sources(folder)],
      imports: [...sources(folder)].flatMap(({ part, file }) =>
        importsOf(file).map((request) => ({
          part,
          file,
          request,
          target: request.startsWith('.') ? relative(root, resolve(root, dirname(file), request)) : null,
        })),
      ),
    };
  });
}

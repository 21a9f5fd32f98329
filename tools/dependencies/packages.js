// Reads the packages, their tags, and the imports of their files.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseSync } from 'oxc-parser';
import { packages, root } from '../run/workspace.js';

/** Returns the value of the tag `layer:…` of a package, null if it has none. */
const layerOf = (tags) => tags.find((tag) => tag.startsWith('layer:'))?.slice('layer:'.length) ?? null;

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

/** Returns every package with its layer, declared dependencies and imports. */
export function readPackages() {
  return packages().map(({ folder, name, manifest, tags }) => {
    const config = join(root, folder, 'tsconfig.json');
    const references = existsSync(config)
      ? (JSON.parse(readFileSync(config, 'utf8')).references ?? []).map(({ path }) =>
          relative(root, resolve(root, folder, path)),
        )
      : [];
    return {
      folder,
      name,
      layer: layerOf(tags),
      entries: Object.keys(manifest.exports ?? {}),
      // Peer dependencies are installed by the users of a package.
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

// Writes the programs of the service as few large files for a test run, which starts hundreds of processes: most of what
// a start costs is finding and opening two thousand small ones. The code is the same, and knows its own path as before.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packages, root } from './workspace.js';

/** The variable with the folder of the bundles; `programOf` of `libs/platform/testing` looks for them there. */
const VARIABLE = 'CARILLON_TEST_BUNDLES';

/** Packages that may be in a bundle: plain code that every process loads. All others are loaded from where they are. */
const INSIDE =
  /^(@carillon|@nestjs|rxjs|@opentelemetry\/api|prom-client|@msgpack\/msgpack|iterare|tslib|uid|fast-safe-stringify|reflect-metadata|smol-toml|safe-stable-stringify|path-to-regexp)($|\/)/;

const BEING_RESOLVED = Symbol('being resolved');

/** What is not in a bundle is named by its path, because bundles lie elsewhere; what is not installed, by its name. */
const outside = {
  name: 'outside',
  setup(build) {
    build.onResolve({ filter: /^[^./]/ }, async ({ path, pluginData, ...where }) => {
      if (pluginData === BEING_RESOLVED || where.kind === 'entry-point' || path.startsWith('node:'))
        return null;
      const { importer, kind, resolveDir } = where;
      const options = { importer, kind, resolveDir, pluginData: BEING_RESOLVED };
      const found = await build.resolve(path, options);
      if (found.errors.length > 0 || found.external) return { path, external: true };
      if (INSIDE.test(path)) return found;
      const byPath = kind.startsWith('require') ? found.path : pathToFileURL(found.path).href;
      return { path: byPath, external: true };
    });
  },
};

/** What a file reads beside itself stays where it is. */
const inPlace = {
  name: 'in-place',
  setup(build) {
    build.onLoad({ filter: /\.js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (!text.includes('import.meta.url')) return null;
      const url = JSON.stringify(pathToFileURL(path).href);
      return { contents: text.replaceAll('import.meta.url', url), loader: 'js' };
    });
  },
};

function entries() {
  const apps = packages().filter(({ folder }) => folder.startsWith('apps/'));
  const mains = apps.map(({ folder }) => join(root, folder, 'dist/src/main.js'));
  return [...mains, join(root, 'tools/test/acceptance/dist/test/harness/group-main.js')];
}

/** Does the work while tests that ask for a program find its bundle. */
export async function withBundles(work) {
  const cache = join(root, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'carillon-bundles-'));
  try {
    await bundle(folder);
    process.env[VARIABLE] = folder;
    return await work();
  } finally {
    delete process.env[VARIABLE];
    rmSync(folder, { recursive: true, force: true });
  }
}

async function bundle(folder) {
  const ofRoot = createRequire(join(root, 'package.json'));
  // The one that comes with Vite.
  const esbuild = createRequire(ofRoot.resolve('vite'))('esbuild');
  const here = JSON.stringify(join(root, 'package.json'));
  await esbuild.build({
    entryPoints: entries(),
    outdir: folder,
    outbase: root,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // Modules of Nest are told apart by the names of their classes.
    keepNames: true,
    plugins: [outside, inPlace],
    // What the packages inside require of each other and of Node.
    banner: { js: `import{createRequire as $from}from'node:module';const require=$from(${here});` },
    logLevel: 'error',
  });
}

// Makes the file layout of one app's image: its compiled rooms, their manifests, and the dependencies they need in
// production. The Dockerfile runs it, and so does the test that starts every app from its layout without a daemon.
// Usage: node deploy/docker/layout.js <app>[,<app>…] <folder> [all|common]; several apps share one tree, of which each
// runs its own apps/<app>/dist/src/main.js. `common` leaves out the client libraries that are optional peer dependencies
// (docs/reference/drivers.md): drivers of PostgreSQL, Redis, NATS, Pulsar and Iggy remain.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { orExit, packages, root, run, say } from '../../tools/run/workspace.js';

const [apps = '', target, drivers = 'all'] = process.argv.slice(2);
const all = packages();
const wanted = apps.split(',').map((app) => all.find(({ folder }) => folder === join('apps', app)));
if (wanted.includes(undefined) || target === undefined || !['all', 'common'].includes(drivers)) {
  say('usage: node deploy/docker/layout.js <app>[,<app>…] <folder> [all|common]');
  process.exit(64);
}
const out = resolve(target);

/** The apps and every room their processes load. */
function closure(start) {
  const found = new Set(start);
  for (const { manifest } of found) {
    for (const name of Object.keys(manifest.dependencies ?? {})) {
      const room = all.find((one) => one.name === name);
      if (room !== undefined) found.add(room);
    }
  }
  return found;
}

/** The native server of this build instead of the lockfile's, which differ when the build was told to take another. */
function replaceNativeServer() {
  const native = join(out, 'node_modules/uWebSockets.js');
  if (!existsSync(native)) return;
  rmSync(native, { recursive: true });
  cpSync(join(root, 'node_modules/uWebSockets.js'), native, { recursive: true });
  // It comes with the binaries of every platform and every Node; one image needs one of them.
  for (const file of readdirSync(native)) {
    const [, platform, arch, abi] = /^uws_([a-z0-9]+)_(\w+)_(\d+)\.node$/.exec(file) ?? [];
    const fits = platform === process.platform && arch === process.arch && abi === process.versions.modules;
    if (abi !== undefined && !fits) rmSync(join(native, file));
  }
}

/** What ships, as CycloneDX: npm lists what it installed beside it. */
function billOfMaterials() {
  const installed = JSON.parse(readFileSync(join(out, 'node_modules/.package-lock.json'), 'utf8')).packages;
  const components = Object.entries(installed)
    .filter(([path, { link }]) => path.startsWith('node_modules/') && link !== true)
    .map(([path, { name, version, license, integrity }]) => {
      const title = name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
      return {
        type: 'library',
        name: title,
        version,
        purl: `pkg:npm/${title.replace('@', '%40')}@${version}`,
        ...(license === undefined ? {} : { licenses: [{ license: { name: license } }] }),
        ...(integrity === undefined ? {} : { properties: [{ name: 'integrity', value: integrity }] }),
      };
    });
  const [{ name, manifest }] = wanted;
  const component = { type: 'application', name, version: manifest.version };
  return JSON.stringify({
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component },
    components,
  });
}

const copy = (path) => cpSync(join(root, path), join(out, path), { recursive: true });
const shipped = closure(wanted);

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
for (const file of ['package.json', 'package-lock.json', '.npmrc', 'LICENSE']) copy(file);
// npm compares the lockfile with every workspace, also with those that stay away.
for (const { folder } of all) copy(join(folder, 'package.json'));
const workspaces = [...shipped].flatMap(({ folder }) => ['--workspace', folder]);
const omitted = ['--omit=dev', ...(drivers === 'common' ? ['--omit=optional', '--omit=peer'] : [])];
const options = [...omitted, '--ignore-scripts', '--no-audit', '--no-fund', ...workspaces];
orExit(await run('npm', ['ci', ...options], { cwd: out }));
replaceNativeServer();
for (const room of all) {
  if (shipped.has(room)) {
    if (existsSync(join(root, room.folder, 'dist/src'))) copy(join(room.folder, 'dist/src'));
    continue;
  }
  rmSync(join(out, room.folder), { recursive: true });
  rmSync(join(out, 'node_modules', room.name), { recursive: true, force: true });
}
rmSync(join(out, 'tools'), { recursive: true, force: true });
// Where the image finds what to run, whichever app it is.
if (wanted.length === 1)
  writeFileSync(join(out, 'main.js'), `import './${wanted[0].folder}/dist/src/main.js';\n`);
cpSync(join(root, 'deploy/docker/health.js'), join(out, 'health.js'));
mkdirSync(join(out, 'config'));
writeFileSync(join(out, 'sbom.json'), billOfMaterials());
say(`the layout of ${apps} is in ${out}`);

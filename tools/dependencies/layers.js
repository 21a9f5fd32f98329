// Dependency rules. A package imports only packages of lower layers (see MAY_IMPORT), through their index, if its manifest
// and its project references declare them. Packages and files have no import cycles. Tests may also import development
// dependencies.
import { isBuiltin } from 'node:module';
import { cycles, fileImports, packageDependencies } from './cycles.js';

/**
 * Layers that a layer may import. `domain`, `core`, `platform`, `client` and `app` packages may import their own layer.
 * Tools may import every layer; nothing that ships imports a tool. `client` packages ship to users and import no package
 * of the service; of the service, only apps import them.
 */
const MAY_IMPORT = {
  core: ['core'],
  platform: ['core', 'platform'],
  port: ['core', 'platform'],
  domain: ['core', 'platform', 'port', 'domain'],
  transport: ['core', 'platform', 'port', 'domain'],
  app: ['core', 'platform', 'port', 'domain', 'transport', 'client', 'app'],
  tool: ['core', 'platform', 'port', 'domain', 'transport', 'client', 'tool'],
  client: ['client'],
};

/** Packages that build on another one of their own layer: HTTP streams are connections of the V2 code of sockets. */
const BUILDS_ON = new Map([['@carillon/streams', '@carillon/sockets']]);

/** Test libraries of the root, available to the tests of every package. */
const TEST_ONLY = new Set(['vitest', 'fast-check']);

const packageName = (request) =>
  request
    .split('/')
    .slice(0, request.startsWith('@') ? 2 : 1)
    .join('/');

/** Returns the packages imported by one part (`src`, `test`) of a package. */
function importedPackages(one, part, byName) {
  const requests = one.imports.filter(({ part: of, target }) => of === part && target === null);
  const names = new Set(requests.map(({ request }) => packageName(request)));
  return [...names].map((name) => byName.get(name)).filter((other) => other !== undefined && other !== one);
}

/** Returns the folders of the project references that the imports of a package need, sorted. */
export function neededReferences(one, packages) {
  const byName = new Map(packages.map((each) => [each.name, each]));
  const wanted = ['src', 'test'].flatMap((part) => importedPackages(one, part, byName));
  return [...new Set(wanted.filter(({ compiled }) => compiled).map(({ folder }) => folder))].sort();
}

/** Returns one line per violation, sorted. */
export function problems(packages) {
  const byName = new Map(packages.map((one) => [one.name, one]));
  return [
    ...packages.flatMap((one) => one.imports.flatMap((each) => importProblems(one, each, byName))),
    ...packages.flatMap((one) => manifestProblems(one, packages, byName)),
    ...cycles(packageDependencies(byName)),
    ...packages.flatMap((one) => cycles(fileImports(one))),
  ].sort();
}

function importProblems(one, { part, file, request, target }, byName) {
  if (target !== null) {
    return target.startsWith(`${one.folder}/`)
      ? []
      : [`${file}: imports outside of its package (${request})`];
  }
  if (isBuiltin(request)) return [];
  const name = packageName(request);
  const test = part === 'test';
  if (test && TEST_ONLY.has(name)) return [];
  // Tools are never shipped, so they may use development dependencies.
  const mayUseDev = test || one.layer === 'tool';
  const declared = mayUseDev ? [...one.dependencies, ...one.devDependencies] : one.dependencies;
  if (!declared.includes(name) && name !== one.name) return [`${file}: ${name} is not in its manifest`];
  const other = byName.get(name);
  if (other === undefined) return [];
  if (!isEntry(request, other)) return [`${file}: imports past the index of ${name} (${request})`];
  return test ? [] : layerProblem(file, one, other);
}

/** Whether a request is the index of a package or another entry that its manifest exports. */
function isEntry(request, { name, entries = [] }) {
  return request === name || entries.includes(`.${request.slice(name.length)}`);
}

function layerProblem(file, one, other) {
  const allowed = MAY_IMPORT[one.layer];
  if (allowed === undefined)
    return [`${one.folder}/project.json: has no tag layer:${Object.keys(MAY_IMPORT).join('|')}`];
  if (allowed.includes(other.layer) || BUILDS_ON.get(one.name) === other.name) return [];
  return [`${file}: layer ${one.layer} may not import ${other.name} of layer ${other.layer}`];
}

function manifestProblems(one, packages, byName) {
  const inSource = new Set(importedPackages(one, 'src', byName).map(({ name }) => name));
  const unused = one.dependencies.filter((name) => byName.has(name) && !inSource.has(name));
  const wanted = new Set(one.compiled ? neededReferences(one, packages) : []);
  const config = `${one.folder}/tsconfig.json`;
  return [
    ...unused.map((name) => `${one.folder}/package.json: ${name} is declared but not imported`),
    ...[...wanted]
      .filter((folder) => !one.references.includes(folder))
      .map((folder) => `${config}: lacks the reference to ${folder}`),
    ...one.references
      .filter((folder) => !wanted.has(folder))
      .map((folder) => `${config}: has an unneeded reference to ${folder}`),
  ];
}

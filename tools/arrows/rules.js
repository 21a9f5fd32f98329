// The arrows of the house. A room imports only rooms of lower floors, through their index, as its manifest and
// its project references say; nothing goes round in a circle. Tests may also use the shared harness and the engines.
import { isBuiltin } from 'node:module';

/** Which floors a floor may import from. A room `beside` all others serves every floor above the ground. */
const MAY_IMPORT = {
  1: [],
  beside: ['1', 'beside'],
  2: ['1', 'beside'],
  3: ['2', '1', 'beside'],
  4: ['3', '2', '1', 'beside'],
  app: ['4', '3', '2', '1', 'beside'],
  tool: ['1', 'beside', 'tool'],
};

/** Available to every room's tests, whatever its floor: the test runner and its companions at the root. */
const TEST_ONLY = new Set(['vitest', 'fast-check']);

const packageName = (request) =>
  request
    .split('/')
    .slice(0, request.startsWith('@') ? 2 : 1)
    .join('/');

/** Every broken rule, as one line each, sorted. */
export function problems(rooms) {
  const byName = new Map(rooms.map((room) => [room.name, room]));
  return [
    ...rooms.flatMap((room) => room.imports.flatMap((one) => importProblems(room, one, byName))),
    ...rooms.flatMap((room) => manifestProblems(room, byName)),
    ...circles(byName),
  ].sort();
}

function importProblems(room, { part, file, request, target }, byName) {
  if (target !== null) {
    return target.startsWith(`${room.folder}/`) ? [] : [`${file}: reaches out of its room (${request})`];
  }
  if (isBuiltin(request)) return [];
  const name = packageName(request);
  const test = part === 'test';
  if (test && TEST_ONLY.has(name)) return [];
  const declared = test ? [...room.dependencies, ...room.devDependencies] : room.dependencies;
  if (!declared.includes(name) && name !== room.name) return [`${file}: ${name} is not in its manifest`];
  const other = byName.get(name);
  if (other === undefined) return [];
  if (request !== name) return [`${file}: imports past the index of ${name} (${request})`];
  return test ? [] : floorProblem(file, room, other);
}

function floorProblem(file, room, other) {
  const allowed = MAY_IMPORT[room.floor];
  if (allowed === undefined) return [`${room.folder}: has no known floor tag`];
  if (allowed.includes(other.floor)) return [];
  return [`${file}: floor ${room.floor} may not import ${other.name} of floor ${other.floor}`];
}

function manifestProblems(room, byName) {
  const used = (part) =>
    new Set(
      room.imports
        .filter((one) => one.part === part && one.target === null)
        .map((one) => packageName(one.request)),
    );
  const inSource = used('src');
  const wanted = [...inSource, ...used('test')]
    .map((name) => byName.get(name))
    .filter((other) => other?.compiled && other !== room)
    .map((other) => other.folder);
  const unused = room.dependencies.filter((name) => byName.has(name) && !inSource.has(name));
  return [
    ...unused.map((name) => `${room.folder}/package.json: ${name} is declared but not imported`),
    ...(room.compiled ? differences(room, new Set(wanted)) : []),
  ];
}

function differences(room, wanted) {
  const missing = [...wanted].filter((folder) => !room.references.includes(folder));
  const extra = room.references.filter((folder) => !wanted.has(folder));
  return [
    ...missing.map((folder) => `${room.folder}/tsconfig.json: misses the reference to ${folder}`),
    ...extra.map((folder) => `${room.folder}/tsconfig.json: has a reference to ${folder} that nothing needs`),
  ];
}

/** Circles between rooms, whatever their floor; rooms `beside` could otherwise form one. */
function circles(byName) {
  const found = new Set();
  const visit = (name, path) => {
    if (path.includes(name)) {
      const circle = path.slice(path.indexOf(name));
      if (circle[0] === [...circle].sort()[0]) found.add(`circle: ${[...circle, name].join(' → ')}`);
      return;
    }
    const room = byName.get(name);
    const next = [...room.dependencies, ...room.devDependencies].filter((other) => byName.has(other));
    for (const other of next) visit(other, [...path, name]);
  };
  for (const name of byName.keys()) visit(name, []);
  return [...found];
}

// The arrows of the house. A room imports only rooms of lower floors, through their index, as its manifest and
// its project references say; nothing goes round in a circle. Tests may also use whatever their manifest declares
// for development.
import { isBuiltin } from 'node:module';
import { circles, fileArrows, roomArrows } from './circles.js';

/**
 * Which floors a floor may import from; a room's folder says its floor. `errors` is the error table, which even the
 * ground stands on; a room of `process` serves every floor above the ground; rooms of the domain may use each other, as
 * long as nothing goes round in a circle; so may apps, because the all-in-one server composes what others do. A tool may look into every room, and nothing that ships imports a tool. What
 * is for other people's programs (`client`) stands beside the house: it imports no room of the service, none imports it.
 */
const MAY_IMPORT = {
  errors: [],
  ground: ['errors'],
  process: ['ground', 'errors', 'process'],
  ports: ['ground', 'errors', 'process'],
  domain: ['ports', 'ground', 'errors', 'process', 'domain'],
  edge: ['domain', 'ports', 'ground', 'errors', 'process'],
  app: ['edge', 'domain', 'ports', 'ground', 'errors', 'process', 'app'],
  tool: ['edge', 'domain', 'ports', 'ground', 'errors', 'process', 'client', 'tool'],
  client: ['client'],
};

/** Available to every room's tests, whatever its floor: the test runner and its companions at the root. */
const TEST_ONLY = new Set(['vitest', 'fast-check']);

const packageName = (request) =>
  request
    .split('/')
    .slice(0, request.startsWith('@') ? 2 : 1)
    .join('/');

/** The rooms that imports of one part (`src`, `test`) of a room lead to. */
function importedRooms(room, part, byName) {
  const requests = room.imports.filter((one) => one.part === part && one.target === null);
  const names = new Set(requests.map((one) => packageName(one.request)));
  return [...names].map((name) => byName.get(name)).filter((other) => other !== undefined && other !== room);
}

/** The folders a room's project references must name, sorted. */
export function neededReferences(room, rooms) {
  const byName = new Map(rooms.map((one) => [one.name, one]));
  const wanted = ['src', 'test'].flatMap((part) => importedRooms(room, part, byName));
  return [...new Set(wanted.filter(({ compiled }) => compiled).map(({ folder }) => folder))].sort();
}

/** Every broken rule, as one line each, sorted. */
export function problems(rooms) {
  const byName = new Map(rooms.map((room) => [room.name, room]));
  return [
    ...rooms.flatMap((room) => room.imports.flatMap((one) => importProblems(room, one, byName))),
    ...rooms.flatMap((room) => manifestProblems(room, rooms, byName)),
    ...circles(roomArrows(byName)),
    ...rooms.flatMap((room) => circles(fileArrows(room))),
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
  // Tools are never shipped, so they may use development dependencies.
  const mayUseDev = test || room.floor === 'tool';
  const declared = mayUseDev ? [...room.dependencies, ...room.devDependencies] : room.dependencies;
  if (!declared.includes(name) && name !== room.name) return [`${file}: ${name} is not in its manifest`];
  const other = byName.get(name);
  if (other === undefined) return [];
  if (!isEntry(request, other)) return [`${file}: imports past the index of ${name} (${request})`];
  return test ? [] : floorProblem(file, room, other);
}

/** Whether a room is imported by its index, or by another entry that its manifest exports. */
function isEntry(request, { name, entries = [] }) {
  return request === name || entries.includes(`.${request.slice(name.length)}`);
}

function floorProblem(file, room, other) {
  const allowed = MAY_IMPORT[room.floor];
  if (allowed === undefined) return [`${room.folder}: stands on no known floor`];
  if (allowed.includes(other.floor)) return [];
  return [`${file}: floor ${room.floor} may not import ${other.name} of floor ${other.floor}`];
}

function manifestProblems(room, rooms, byName) {
  const inSource = new Set(importedRooms(room, 'src', byName).map(({ name }) => name));
  const unused = room.dependencies.filter((name) => byName.has(name) && !inSource.has(name));
  const wanted = new Set(room.compiled ? neededReferences(room, rooms) : []);
  const config = `${room.folder}/tsconfig.json`;
  return [
    ...unused.map((name) => `${room.folder}/package.json: ${name} is declared but not imported`),
    ...[...wanted]
      .filter((folder) => !room.references.includes(folder))
      .map((folder) => `${config}: misses the reference to ${folder}`),
    ...room.references
      .filter((folder) => !wanted.has(folder))
      .map((folder) => `${config}: has a reference to ${folder} that nothing needs`),
  ];
}

import { describe, expect, it } from 'vitest';
import { problems } from '../rules.js';

const room = (name, floor, more = {}) => ({
  folder: `libs/${name}`,
  name: `@carillon/${name}`,
  floor,
  dependencies: [],
  devDependencies: [],
  references: [],
  compiled: true,
  imports: [],
  ...more,
});

const importing = (from, request, part = 'src') => {
  const target = request.startsWith('.') ? `libs/${request.replace('../../', '')}` : null;
  return [{ part, file: `libs/${from}/${part}/a.ts`, request, target }];
};

/** A room that imports another one and declares everything that goes with it. */
const user = (name, floor, other, more = {}) =>
  room(name, floor, {
    dependencies: [`@carillon/${other}`],
    references: [`libs/${other}`],
    imports: importing(name, `@carillon/${other}`),
    ...more,
  });

/** Two files of a room that import each other. */
const eachOther = (part) => [
  { part, file: `libs/cache/${part}/a.ts`, request: './b.js', target: `libs/cache/${part}/b.js` },
  { part, file: `libs/cache/${part}/b.ts`, request: './a.js', target: `libs/cache/${part}/a.js` },
];

describe('import arrows', () => {
  it('lets a room import a lower floor that it declares', () => {
    expect(problems([room('errors', 'errors'), user('cache', 'ports', 'errors')])).toEqual([]);
  });

  it('keeps what is for the programs of others apart from the service, except in tests', () => {
    const client = (part) =>
      user('client', 'client', 'protocol', { imports: importing('client', '@carillon/protocol', part) });
    expect(problems([room('protocol', 'ground'), client('src')])).toEqual([
      'libs/client/src/a.ts: floor client may not import @carillon/protocol of floor ground',
    ]);
    const tested = { ...client('test'), dependencies: [], devDependencies: ['@carillon/protocol'] };
    expect(problems([room('protocol', 'ground'), tested])).toEqual([]);
    expect(problems([room('client', 'client'), user('sockets', 'edge', 'client')])).toHaveLength(1);
    expect(problems([room('client', 'client'), user('bench', 'tool', 'client')])).toEqual([]);
  });

  it('lets other entries be imported that a manifest exports', () => {
    const importer = user('bench', 'tool', 'client', {
      imports: importing('bench', '@carillon/client/react'),
    });
    expect(problems([room('client', 'client', { entries: ['.', './react'] }), importer])).toEqual([]);
    expect(problems([room('client', 'client', { entries: ['.'] }), importer])).toEqual([
      'libs/bench/src/a.ts: imports past the index of @carillon/client (@carillon/client/react)',
    ]);
  });

  it('refuses an import of a higher floor, and of the same floor above the ground', () => {
    expect(problems([room('http-api', 'edge'), user('cache', 'ports', 'http-api')])).toEqual([
      'libs/cache/src/a.ts: floor ports may not import @carillon/http-api of floor edge',
    ]);
    expect(problems([room('fabric', 'ports'), user('cache', 'ports', 'fabric')])).toHaveLength(1);
    expect(problems([room('config', 'ground'), user('signing', 'ground', 'config')])).toHaveLength(1);
    expect(problems([room('errors', 'errors'), user('signing', 'ground', 'errors')])).toEqual([]);
  });

  it('knows for every two floors whether one may import the other', () => {
    const below = {
      errors: '',
      ground: 'errors',
      process: 'errors ground process',
      ports: 'errors ground process',
      domain: 'errors ground process ports domain',
      edge: 'errors ground process ports domain',
      app: 'errors ground process ports domain edge app',
      tool: 'errors ground process ports domain edge tool',
    };
    for (const from of Object.keys(below)) {
      for (const to of Object.keys(below)) {
        const wrong = problems([room('lower', to), user('upper', from, 'lower')]);
        expect([from, to, wrong.length]).toEqual([from, to, below[from].split(' ').includes(to) ? 0 : 1]);
      }
    }
  });

  it('refuses an import past the index of another room', () => {
    const deep = user('cache', 'ports', 'errors', {
      imports: importing('cache', '@carillon/errors/dist/table.js'),
    });
    expect(problems([room('errors', 'errors'), deep])).toEqual([
      'libs/cache/src/a.ts: imports past the index of @carillon/errors (@carillon/errors/dist/table.js)',
    ]);
  });

  it('refuses a relative path that leaves the room', () => {
    const outside = room('cache', 'ports', { imports: importing('cache', '../../errors/src/table.js') });
    expect(problems([outside])).toEqual([
      'libs/cache/src/a.ts: reaches out of its room (../../errors/src/table.js)',
    ]);
  });

  it('refuses what the manifest does not declare, and what it declares for nothing', () => {
    const undeclared = room('cache', 'ports', { imports: importing('cache', 'ioredis') });
    expect(problems([undeclared])).toEqual(['libs/cache/src/a.ts: ioredis is not in its manifest']);
    const idle = room('cache', 'ports', { dependencies: ['@carillon/errors'] });
    expect(problems([room('errors', 'errors'), idle])).toEqual([
      'libs/cache/package.json: @carillon/errors is declared but not imported',
    ]);
  });

  it('demands project references that match the imports', () => {
    const missing = user('cache', 'ports', 'errors', { references: [] });
    expect(problems([room('errors', 'errors'), missing])).toEqual([
      'libs/cache/tsconfig.json: misses the reference to libs/errors',
    ]);
    const extra = room('cache', 'ports', { references: ['libs/errors'] });
    expect(problems([room('errors', 'errors'), extra])).toEqual([
      'libs/cache/tsconfig.json: has a reference to libs/errors that nothing needs',
    ]);
  });

  it('finds a circle between rooms beside the floors, once', () => {
    expect(problems([user('uws', 'process', 'runtime'), user('runtime', 'process', 'uws')])).toEqual([
      'circle: @carillon/runtime → @carillon/uws → @carillon/runtime',
    ]);
  });

  it('finds a circle between files of a room, of types too, and of the source only', () => {
    expect(problems([room('cache', 'ports', { imports: eachOther('src') })])).toEqual([
      'circle: libs/cache/src/a.ts → libs/cache/src/b.ts → libs/cache/src/a.ts',
    ]);
    expect(problems([room('cache', 'ports', { imports: eachOther('test') })])).toEqual([]);
  });

  it('lets tests use the test runner and what is declared for development, on any floor', () => {
    const tested = room('config', 'ground', {
      devDependencies: ['@carillon/testing'],
      references: ['libs/testing'],
      imports: [
        ...importing('config', 'vitest', 'test'),
        ...importing('config', '@carillon/testing', 'test'),
      ],
    });
    expect(problems([tested, room('testing', 'process')])).toEqual([]);
    expect(problems([room('config', 'ground', { imports: importing('config', 'vitest') })])).toHaveLength(1);
  });
});

import { describe, expect, it } from 'vitest';
import { problems } from '../layers.js';

const aPackage = (name, layer, more = {}) => ({
  folder: `libs/${name}`,
  name: `@carillon/${name}`,
  layer,
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

/** A package that imports another one, with its manifest and references. */
const user = (name, layer, other, more = {}) =>
  aPackage(name, layer, {
    dependencies: [`@carillon/${other}`],
    references: [`libs/${other}`],
    imports: importing(name, `@carillon/${other}`),
    ...more,
  });

/** Two files of a package that import each other. */
const eachOther = (part) => [
  { part, file: `libs/cache/${part}/a.ts`, request: './b.js', target: `libs/cache/${part}/b.js` },
  { part, file: `libs/cache/${part}/b.ts`, request: './a.js', target: `libs/cache/${part}/a.js` },
];

describe('dependency rules', () => {
  it('accepts an import of a lower layer that the manifest declares', () => {
    expect(problems([aPackage('errors', 'core'), user('cache', 'port', 'errors')])).toEqual([]);
  });

  it('separates client packages from the service, except in tests and apps', () => {
    const client = (part) =>
      user('client', 'client', 'protocol', { imports: importing('client', '@carillon/protocol', part) });
    expect(problems([aPackage('protocol', 'core'), client('src')])).toEqual([
      'libs/client/src/a.ts: layer client may not import @carillon/protocol of layer core',
    ]);
    const tested = { ...client('test'), dependencies: [], devDependencies: ['@carillon/protocol'] };
    expect(problems([aPackage('protocol', 'core'), tested])).toEqual([]);
    expect(problems([aPackage('client', 'client'), user('sockets', 'transport', 'client')])).toHaveLength(1);
    expect(problems([aPackage('client', 'client'), user('bench', 'tool', 'client')])).toEqual([]);
  });

  it('accepts imports of further entries that a manifest exports', () => {
    const importer = user('bench', 'tool', 'client', {
      imports: importing('bench', '@carillon/client/react'),
    });
    expect(problems([aPackage('client', 'client', { entries: ['.', './react'] }), importer])).toEqual([]);
    expect(problems([aPackage('client', 'client', { entries: ['.'] }), importer])).toEqual([
      'libs/bench/src/a.ts: imports past the index of @carillon/client (@carillon/client/react)',
    ]);
  });

  it('rejects an import of a higher layer, and of the same layer between ports', () => {
    expect(problems([aPackage('api-http', 'transport'), user('cache', 'port', 'api-http')])).toEqual([
      'libs/cache/src/a.ts: layer port may not import @carillon/api-http of layer transport',
    ]);
    expect(problems([aPackage('broker', 'port'), user('cache', 'port', 'broker')])).toHaveLength(1);
    expect(problems([aPackage('errors', 'core'), user('auth', 'core', 'errors')])).toEqual([]);
  });

  it('rejects a package without a layer', () => {
    expect(problems([aPackage('errors', 'core'), user('cache', null, 'errors')])).toEqual([
      'libs/cache/project.json: has no tag layer:core|platform|port|domain|transport|app|tool|client',
    ]);
  });

  it('decides for every two layers whether one may import the other', () => {
    const allowed = {
      core: 'core',
      platform: 'core platform',
      port: 'core platform',
      domain: 'core platform port domain',
      transport: 'core platform port domain',
      app: 'core platform port domain transport client app',
      tool: 'core platform port domain transport client tool',
      client: 'client',
    };
    for (const from of Object.keys(allowed)) {
      for (const to of Object.keys(allowed)) {
        const wrong = problems([aPackage('lower', to), user('upper', from, 'lower')]);
        expect([from, to, wrong.length]).toEqual([from, to, allowed[from].split(' ').includes(to) ? 0 : 1]);
      }
    }
  });

  it('rejects an import past the index of another package', () => {
    const deep = user('cache', 'port', 'errors', {
      imports: importing('cache', '@carillon/errors/dist/table.js'),
    });
    expect(problems([aPackage('errors', 'core'), deep])).toEqual([
      'libs/cache/src/a.ts: imports past the index of @carillon/errors (@carillon/errors/dist/table.js)',
    ]);
  });

  it('rejects a relative path out of the package', () => {
    const outside = aPackage('cache', 'port', { imports: importing('cache', '../../errors/src/table.js') });
    expect(problems([outside])).toEqual([
      'libs/cache/src/a.ts: imports outside of its package (../../errors/src/table.js)',
    ]);
  });

  it('rejects undeclared and unused dependencies', () => {
    const undeclared = aPackage('cache', 'port', { imports: importing('cache', 'ioredis') });
    expect(problems([undeclared])).toEqual(['libs/cache/src/a.ts: ioredis is not in its manifest']);
    const idle = aPackage('cache', 'port', { dependencies: ['@carillon/errors'] });
    expect(problems([aPackage('errors', 'core'), idle])).toEqual([
      'libs/cache/package.json: @carillon/errors is declared but not imported',
    ]);
  });

  it('requires project references that match the imports', () => {
    const missing = user('cache', 'port', 'errors', { references: [] });
    expect(problems([aPackage('errors', 'core'), missing])).toEqual([
      'libs/cache/tsconfig.json: lacks the reference to libs/errors',
    ]);
    const extra = aPackage('cache', 'port', { references: ['libs/errors'] });
    expect(problems([aPackage('errors', 'core'), extra])).toEqual([
      'libs/cache/tsconfig.json: has an unneeded reference to libs/errors',
    ]);
  });

  it('reports a cycle between packages once', () => {
    expect(problems([user('uws', 'platform', 'runtime'), user('runtime', 'platform', 'uws')])).toEqual([
      'cycle: @carillon/runtime → @carillon/uws → @carillon/runtime',
    ]);
  });

  it('reports cycles between source files of a package, type imports included', () => {
    expect(problems([aPackage('cache', 'port', { imports: eachOther('src') })])).toEqual([
      'cycle: libs/cache/src/a.ts → libs/cache/src/b.ts → libs/cache/src/a.ts',
    ]);
    expect(problems([aPackage('cache', 'port', { imports: eachOther('test') })])).toEqual([]);
  });

  it('accepts development dependencies and the test runner in tests of every layer', () => {
    const tested = aPackage('config', 'core', {
      devDependencies: ['@carillon/testing'],
      references: ['libs/testing'],
      imports: [
        ...importing('config', 'vitest', 'test'),
        ...importing('config', '@carillon/testing', 'test'),
      ],
    });
    expect(problems([tested, aPackage('testing', 'platform')])).toEqual([]);
    expect(problems([aPackage('config', 'core', { imports: importing('config', 'vitest') })])).toHaveLength(
      1,
    );
  });
});

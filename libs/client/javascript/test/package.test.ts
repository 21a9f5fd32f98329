import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';

const ROOM = fileURLToPath(new URL('../../', import.meta.url));
const REPOSITORY = join(ROOM, '../../..');
/** An app with the package and the dependencies of both installed. */
const APP = mkdtempSync(join(tmpdir(), 'carillon-client-'));
const INSTALLED = join(APP, 'node_modules/@carillon/client');
const OTHERS = ['@bufbuild', '@msgpack', '@types', 'react', 'tweetnacl', 'undici-types', 'ws'];

beforeAll(() => {
  const packed = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', APP], {
    cwd: ROOM,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  mkdirSync(INSTALLED, { recursive: true });
  execFileSync('tar', ['-xzf', join(APP, filename), '-C', INSTALLED, '--strip-components=1']);
  for (const name of OTHERS)
    symlinkSync(join(REPOSITORY, 'node_modules', name), join(APP, 'node_modules', name));
  writeFileSync(join(APP, 'package.json'), '{"type":"module"}');
});
afterAll(() => rmSync(APP, { recursive: true }));

const run = (type: 'commonjs' | 'module', script: string): string =>
  execFileSync(process.execPath, [`--input-type=${type}`, '-e', script], {
    cwd: APP,
    encoding: 'utf8',
    timeout: 60_000,
  });

/** Returns the bundle of a page with these lines. */
async function bundled(contents: string): Promise<Uint8Array> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: APP },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
  });
  return outputFiles[0]?.contents ?? new Uint8Array();
}

it('holds what its exports name, the sources that its maps name, and nothing else', () => {
  const { exports } = JSON.parse(readFileSync(join(INSTALLED, 'package.json'), 'utf8')) as {
    exports: Record<string, Record<string, string>>;
  };
  const targets = Object.values(exports).flatMap((one) => Object.values(one));
  expect(targets.filter((target) => !existsSync(join(INSTALLED, target)))).toEqual([]);
  expect(readdirSync(INSTALLED).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json', 'src']);
  expect(readdirSync(join(INSTALLED, 'dist'))).toEqual(['src']);
});

it('names the types of every export for resolvers without exports (node10)', () => {
  const { exports, types, typesVersions } = JSON.parse(
    readFileSync(join(INSTALLED, 'package.json'), 'utf8'),
  ) as {
    exports: Record<string, { types: string }>;
    types: string;
    typesVersions: { '*': Record<string, [string]> };
  };
  const node10 = Object.entries(typesVersions['*']).map(([name, [file]]) => [`./${name}`, file]);
  expect([['.', types], ...node10]).toEqual(Object.entries(exports).map(([name, one]) => [name, one.types]));
});

it('is imported by modules and required by others, every part of it', () => {
  const parts = [
    '',
    '/messagepack',
    '/protobuf',
    '/fossil',
    '/vcdiff',
    '/encrypted',
    '/react',
    '/push',
    '/push/handler',
    '/server',
  ];
  const names = JSON.stringify(parts.map((part) => `@carillon/client${part}`));
  const imported = run(
    'module',
    `for (const name of ${names}) console.log(Object.keys(await import(name)).sort().join());`,
  );
  const required = run(
    'commonjs',
    `for (const name of ${names}) console.log(Object.keys(require(name)).sort().join());`,
  );
  expect(imported).toContain('Carillon,CarillonError,answerOf,backoffMs,forwardTo,json');
  expect(required).toBe(imported);
});

it('says what to do where the runtime has no WebSocket and no other transport is allowed', () => {
  const script = `import { Carillon } from '@carillon/client';
    delete globalThis.WebSocket;
    try { new Carillon({ key: 'k', url: 'ws://localhost', transports: ['websocket'] }).connect(); } catch (error) { console.log(error.message); }`;
  expect(run('module', script)).toBe('This runtime has no WebSocket: pass one in the options\n');
});

it('costs an app that bundles it what it uses of it', async () => {
  const all = await bundled(`export { Carillon } from '@carillon/client';`);
  expect(gzipSync(all).length).toBeLessThan(16 * 1024);
  const little = await bundled(`export { backoffMs } from '@carillon/client';`);
  expect(little.length).toBeLessThan(500);
});

/** Declarations that the snippets of the guide assume. */
const GIVEN = `
import type { Api, Carillon, Channel } from '@carillon/client';
declare global {
  const client: Carillon; const orders: Channel; const chat: Channel; const api: Api;
  const key: string; const url: string; const secret: string; const appId: string; const token: string; const serial: string;
  const body: string; const socketId: string; const runId: string; const vapidPublicKey: string; const authorize: string;
  const button: HTMLButtonElement; const model: AsyncIterable<string>; const app: Carillon;
  const forwardTo: typeof import('@carillon/client').forwardTo;
  function render(messages: unknown): void;
}`;

/** An app as many are. */
const SETTINGS = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    target: 'es2022',
    module: 'esnext',
    moduleResolution: 'bundler',
    jsx: 'react-jsx',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: [],
    skipLibCheck: true,
  },
};

it('compiles as the guide shows it', () => {
  const guide = readFileSync(join(REPOSITORY, 'docs/client.md'), 'utf8');
  const blocks = [...guide.matchAll(/^```(tsx?)\n(.*?)^```/gms)];
  expect(blocks.length).toBeGreaterThan(10);
  for (const [at, [, kind, code = '']] of blocks.entries()) {
    const needsClient = /new Carillon\(/.test(code) && !/import \{ Carillon/.test(code);
    const head = needsClient ? `import { Carillon } from '@carillon/client';` : '';
    const lines = code.replaceAll('=> …', '=> undefined');
    writeFileSync(join(APP, `block-${at}.${kind}`), `${head}\n${lines}\nexport {};\n`);
  }
  writeFileSync(join(APP, 'given.ts'), GIVEN);
  writeFileSync(join(APP, 'tsconfig.json'), JSON.stringify(SETTINGS));
  const compiler = join(REPOSITORY, 'node_modules/typescript/bin/tsc');
  expect(spawnSync(process.execPath, [compiler], { cwd: APP, encoding: 'utf8' }).stdout).toBe('');
}, 60_000);

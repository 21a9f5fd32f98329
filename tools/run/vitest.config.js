import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './longest-first.js';
import { SEED, seedOfRun } from './seed.js';

/** `npm run proof` also runs what takes long: `*.proof.test.*`, and every app where `npm test` takes one. */
const PROOF = process.env.CARILLON_PROOF === 'true';
const WORKERS = Math.max(2, availableParallelism());

/** Rooms whose tests stay in their process and leave nothing in it, so that they can share one: modules are loaded once. */
const PURE = [
  'libs/ground/*',
  ...['ai-transport', 'annotations', 'channels', 'compat-core', 'hub', 'messages', 'operations'].map(
    (room) => `libs/domain/${room}`,
  ),
  'libs/domain/publishing',
  'libs/edge/compat',
  'libs/edge/http-api',
];
/** Whole processes beside the tests, for which those mostly wait: more of them at once keep the processors busy. */
const PROCESSES = ['apps/*', 'tools/acceptance', 'tools/fleet'];
/** Measure time or memory, or keep all processors busy by themselves. */
const BUSY = ['tools/bench', 'tools/fuzz'];

/** Tests run as compiled by the one compiler that also makes what ships; some tools run as they are written. */
const tests = (folders) =>
  folders.flatMap((folder) => [`${folder}/dist/test/**/*.test.js`, `${folder}/test/**/*.test.js`]);

/** What tests import of the rooms; the tests themselves stay with Vite, which tells their lines in the source. */
const COMPILED = /\/(dist|engines)\/src\//;

/** Stands for the library of that name, and lets its properties begin with the seed of the run. */
const FAST_CHECK = fileURLToPath(new URL('fast-check.js', import.meta.url));

const project = (name, folders, others, order, more) => ({
  extends: true,
  test: {
    name,
    include: tests(folders),
    exclude: ['**/node_modules/**', ...tests(others), ...(PROOF ? [] : ['**/*.proof.test.js'])],
    sequence: { groupOrder: order },
    ...more,
  },
});

export default defineConfig({
  resolve: { alias: { 'fast-check': FAST_CHECK } },
  test: {
    env: { [SEED]: seedOfRun() },
    testTimeout: 30_000,
    hookTimeout: 120_000,
    pool: 'forks',
    sequence: { sequencer: LongestFirst },
    // Node loads what is compiled faster than Vite transforms it once more for every file.
    server: { deps: { external: [COMPILED, /\/tools\/run\/fast-check\.js$/] } },
    projects: [
      project('pure', PURE, [], 0, { isolate: false, maxWorkers: WORKERS }),
      project('rooms', ['libs/*/*', 'tools/*'], [...PURE, ...PROCESSES, ...BUSY], 1, {
        // Many wait for brokers and databases.
        maxWorkers: WORKERS * 2,
      }),
      project('processes', PROCESSES, [], 2, { maxWorkers: WORKERS * 2 }),
      project('busy', BUSY, [], 3, { maxWorkers: WORKERS }),
    ],
  },
});

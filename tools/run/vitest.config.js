import { availableParallelism, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { FileOrder } from './file-order.js';
import { SEED, seedOfRun } from './seed.js';

/** `npm run proof` also runs what takes long: `*.proof.test.*`, and every app where `npm test` takes one. */
const PROOF = process.env.CARILLON_PROOF === 'true';
const WORKERS = Math.max(2, availableParallelism());
/** Memory of a worker with the servers and processes that its files start. */
const WORKER_BYTES = 2 ** 31;
/** Workers of files that wait for brokers, databases and processes: more of them keep the processors busy. */
const WAITING_WORKERS = Math.max(WORKERS, Math.min(WORKERS * 3, Math.floor(totalmem() / WORKER_BYTES)));

/** Vitest loads it again in its own process, where the order of files is decided. */
process.env[SEED] = seedOfRun();

/**
 * Files that look at what their process has loaded, or at all of its memory, and so have one to themselves. All others
 * of the packages leave nothing behind and share a few, which load every module once.
 */
const ALONE = [
  '**/lazy-client.test.js',
  'libs/app-registry/**/{dynamodb,scylla}.test.js',
  'libs/presence/**/footprint.test.js',
  'libs/platform/uws/**/body.test.js',
];
/** Whole processes beside the tests. */
const PROCESSES = [
  'apps/*',
  'tools/test/acceptance',
  'tools/dependencies',
  'tools/language',
  'tools/deploy',
  'tools/test/backends',
  'tools/test/fleet',
  'tools/run',
  'tools/test/simulator',
];
/** Measure time or memory, or keep all processors busy by themselves. */
const BUSY = ['tools/test/bench', 'tools/test/fuzz'];

/** Tests run as compiled by the one compiler that also makes what ships; some tools run as they are written. */
const tests = (folders) =>
  folders.flatMap((folder) => [`${folder}/dist/test/**/*.test.js`, `${folder}/test/**/*.test.js`]);

/** What tests import of the packages; the tests themselves stay with Vite, which tells their lines in the source. */
const COMPILED = /\/(dist|backends)\/src\//;

/** Checks what a file leaves behind, where files share a process. */
const STATE = 'tools/run/process-state.js';

/** Measures every file; first, so that its hook ends last. */
const COST = './tools/run/file-cost.js';

/** Stands for the library of that name, and lets its properties begin with the seed of the run. */
const FAST_CHECK = fileURLToPath(new URL('fast-check.js', import.meta.url));

const project = (name, include, exclude, more) => ({
  extends: true,
  test: {
    name,
    include,
    exclude: ['**/node_modules/**', ...exclude, ...(PROOF ? [] : ['**/*.proof.test.js'])],
    ...more,
  },
});

const FIRST = { sequence: { groupOrder: 0 }, maxWorkers: WAITING_WORKERS };

export default defineConfig({
  resolve: { alias: { 'fast-check': FAST_CHECK } },
  test: {
    env: {
      [SEED]: process.env[SEED],
      // Buffers of the transports are overwritten after their callbacks (CONTRIBUTING.md).
      CARILLON_POISON_BUFFERS: 'true',
      // The AWS library warns in every process that a later version of it will need a newer Node.
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    },
    reporters: ['./tools/run/reporter.js'],
    // Ends a test that hangs; a busy machine may take ten times as long as an idle one.
    testTimeout: 90_000,
    hookTimeout: 120_000,
    pool: 'forks',
    setupFiles: [COST],
    unstubEnvs: true,
    unstubGlobals: true,
    sequence: { sequencer: FileOrder },
    // Node loads what is compiled faster than Vite transforms it once more for every file.
    server: { deps: { external: [COMPILED, /\/tools\/run\/fast-check\.js$/] } },
    projects: [
      project('alone', ALONE, [], FIRST),
      project('packages', tests(['libs/*', 'libs/*/*']), ALONE, {
        ...FIRST,
        isolate: false,
        setupFiles: [STATE],
      }),
      project('processes', tests(PROCESSES), [], FIRST),
      project('busy', tests(BUSY), [], { sequence: { groupOrder: 1 }, maxWorkers: WORKERS }),
    ],
  },
});

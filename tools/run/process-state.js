// Compares the state of the process after a test file with that before it: files that share a process would otherwise pass
// or fail by their order. Changed values fail the file. Open servers, child processes and long timers are reported by
// `reporter.js`, and fail the file if CARILLON_LEFTOVERS is `fail`.
import { afterAll, expect, vi } from 'vitest';
import { isTracing } from '../../libs/process/tracing/dist/src/tracing.js';
import { watchProcess } from '../../libs/process/testing/dist/src/process-state/watch.js';

const leftovers = watchProcess(() => ({ 'the tracer': isTracing() }));

// Registered before every hook of the file, and so run after all of them.
// oxlint-disable-next-line no-empty-pattern -- Vitest reads the pattern: no fixtures are used, the file is the second one
afterAll(async ({}, { file }) => {
  // Vitest does so before each test only.
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  const { values, resources } = await leftovers();
  file.meta.leftovers = resources;
  const found = process.env.CARILLON_LEFTOVERS === 'fail' ? [...values, ...resources] : values;
  if (found.length === 0) return;
  throw new Error(
    `${expect.getState().testPath} leaves behind:\n${found.map((one) => `  ${one}`).join('\n')}`,
  );
}, 60_000);

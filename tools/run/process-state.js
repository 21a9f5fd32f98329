// Compares the state of the process after a test file with that before it: files that share a process would otherwise pass
// or fail by their order. A changed value and an open server, socket, child process or long timer fail the file.
import { afterAll, expect, vi } from 'vitest';
import { isTracing } from '../../libs/platform/tracing/dist/src/tracing.js';
import { watchProcess } from '../../libs/platform/testing/dist/src/process-state/watch.js';

const leftovers = watchProcess(() => ({ 'the tracer': isTracing() }));

// Registered before every hook of the file, and so run after all of them.
afterAll(async () => {
  // Vitest does so before each test only.
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  const found = await leftovers();
  if (found.length === 0) return;
  throw new Error(
    `${expect.getState().testPath} leaves behind:\n${found.map((one) => `  ${one}`).join('\n')}`,
  );
}, 60_000);

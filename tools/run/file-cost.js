// Measures each test file: when it ran, and the processor time of its process with the child processes that have ended.
// Loaded by every file before anything else. The lines are what `test-times.js` reads.
import { appendFileSync } from 'node:fs';
import { afterAll, expect } from 'vitest';
import { COSTS } from './report.js';
import { processorMs } from './processor-time.js';

/** The reading after the previous file of this process; absent in a new process, whose start counts as the file's. */
const LAST = Symbol.for('carillon.file-cost');

const path = process.env[COSTS];
const from = Date.now();

// Registered first, and so run after all other hooks.
if (path !== undefined) {
  afterAll(() => {
    const now = processorMs();
    const line = {
      path: expect.getState().testPath,
      process: process.pid,
      from,
      to: Date.now(),
      processorMs: now - (globalThis[LAST] ?? 0),
    };
    globalThis[LAST] = now;
    appendFileSync(path, `${JSON.stringify(line)}\n`);
  });
}

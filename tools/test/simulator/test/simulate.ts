import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../src/main.js', import.meta.url));
const LONGEST_MS = 3_600_000;

interface Event {
  readonly type: string;
  readonly [name: string]: unknown;
}

/** Runs the simulator in a process of its own, since it replaces the clocks of its process. */
export function simulate(
  ...args: readonly string[]
): Promise<{ readonly code: number; readonly events: readonly Event[] }> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [MAIN, ...args, '--json'],
      { maxBuffer: 1 << 26, timeout: LONGEST_MS },
      (_error, stdout) => {
        const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
        resolve({ code: child.exitCode ?? -1, events: lines.map((line) => JSON.parse(line) as Event) });
      },
    );
  });
}

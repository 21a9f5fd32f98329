import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UNHANDLED } from '../kernel/violation.js';
import type { Report } from '../run/campaign.js';
import type { Options } from '../run/options.js';
import { type Mutant, mutants } from './catalog.js';
import { WorkspaceCopy } from './copy.js';

/** Folder of the repository: this file is `tools/test/simulator/dist/src/mutants/search.js`. */
const ROOT = fileURLToPath(new URL('../../../../../../', import.meta.url));
const FOLDER = join(ROOT, 'tools/test/simulator/mutants');
/** A run with a mutant that hangs ends after this. */
const RUN_MS = 300_000;
const MAX_SEEDS = 1000;

interface Found {
  readonly found: boolean;
  readonly seed: number;
  readonly runs: number;
  readonly detail: string;
}

/** Plants each mutant in a copy and runs the simulator there; returns the exit code. */
export async function searchMutants(options: Options, report: Report): Promise<number> {
  const all = mutants(FOLDER);
  const chosen = options.mutant === 'all' ? all : all.filter(({ name }) => name === options.mutant);
  if (chosen.length === 0) throw new Error(`mutant "${options.mutant}" does not exist`);
  const copy = await WorkspaceCopy.make(ROOT);
  let survived = 0;
  try {
    for (const mutant of chosen) {
      const result = await hunt(copy, mutant, options);
      if (!result.found) survived += 1;
      const { name, core, fault, promise } = mutant;
      report({ type: 'mutant', name, core, fault, promise, ...result });
    }
  } finally {
    await copy.remove();
  }
  return survived === 0 ? 0 : 1;
}

async function hunt(copy: WorkspaceCopy, mutant: Mutant, options: Options): Promise<Found> {
  const none = { found: false, seed: mutant.seed, runs: 0 };
  let undo: () => Promise<void>;
  try {
    undo = await copy.plant(mutant);
  } catch (error) {
    return { ...none, detail: error instanceof Error ? error.message : String(error) };
  }
  try {
    const [from, to] = options.search ? [1, MAX_SEEDS] : [mutant.seed, mutant.seed];
    const args = ['--core', mutant.core, '--fault', mutant.fault, '--seeds', `${from}..${to}`];
    return await firstViolation(copy.command, [...args, '--steps', `${options.steps}`, '--json'], none);
  } finally {
    await undo();
  }
}

/** Exceptions, timeouts and crashes do not count as found. */
async function firstViolation(
  command: string,
  args: readonly string[],
  none: Found | Omit<Found, 'detail'>,
): Promise<Found> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [command, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    const end = (found: Found): void => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      resolve(found);
    };
    const timer = setTimeout(() => end({ ...none, detail: 'timeout' }), RUN_MS);
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const lines = text.split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) {
        const event = JSON.parse(line) as {
          type: string;
          invariant?: string;
          seed?: number;
          promise?: string;
        };
        if (event.type !== 'violation' || event.invariant === UNHANDLED) continue;
        const seed = event.seed ?? 0;
        end({ found: true, seed, runs: seed, detail: `${event.invariant} (${event.promise})` });
      }
    });
    child.on('exit', () => end({ ...none, detail: 'no invariant failed' }));
  });
}

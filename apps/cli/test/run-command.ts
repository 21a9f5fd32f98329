import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programOf } from '@carillon/testing';

const MAIN = programOf(fileURLToPath(new URL('../src/main.js', import.meta.url)));
/** A call that does not end by then has failed. */
const LIMIT_MS = 60_000;

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string | Uint8Array;
  readonly cwd?: string;
  /** Arguments of Node itself. */
  readonly node?: readonly string[];
}

/** An empty folder, in which no configuration is found. */
export const emptyFolder = (): string => mkdtempSync(join(tmpdir(), 'carillon-cli-'));

/** A running call of the command. */
export class RunningCommand {
  stdout = '';
  stderr = '';
  readonly finished: Promise<Finished>;

  constructor(readonly child: ChildProcess) {
    child.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
    this.finished = new Promise((done) => {
      child.once('close', (code) => {
        clearTimeout(timer);
        done({ code, stdout: this.stdout, stderr: this.stderr });
      });
    });
  }

  /** Waits for a line on one of the streams. */
  async says(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.stdout + this.stderr)) {
      if (this.child.exitCode !== null)
        throw new Error(`never said ${String(pattern)}: ${this.stdout}${this.stderr}`);
      await new Promise((later) => setTimeout(later, 10));
    }
  }
}

export function startCommand(args: readonly string[], options: CommandOptions = {}): RunningCommand {
  const cwd = options.cwd ?? emptyFolder();
  const { PATH = '', HOME: _home, ...bundles } = process.env;
  const { CARILLON_TEST_BUNDLES = '' } = bundles;
  const env = {
    PATH,
    HOME: cwd,
    ...(CARILLON_TEST_BUNDLES === '' ? {} : { CARILLON_TEST_BUNDLES }),
    ...options.env,
  };
  const child = spawn(process.execPath, [...(options.node ?? []), MAIN, ...args], {
    cwd,
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.stdin ?? '');
  return new RunningCommand(child);
}

export const runCommand = (args: readonly string[], options: CommandOptions = {}): Promise<Finished> =>
  startCommand(args, options).finished;

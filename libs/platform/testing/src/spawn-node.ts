import { type ChildProcess, spawn } from 'node:child_process';

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Timeout of an expected output line. */
const SAY_MS = 60_000;

/** A Node script in a process of its own; killed with the test run at the latest. */
export class SpawnedNode {
  readonly child: ChildProcess;
  /** Everything it has written, both streams. */
  output = '';
  readonly #exited: Promise<number | null>;
  #isTold = false;

  constructor(child: ChildProcess) {
    this.child = child;
    running.add(child);
    const keep = (chunk: Buffer): void => {
      this.output += chunk.toString();
    };
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    this.#exited = new Promise((exited) => {
      child.once('exit', (code) => {
        running.delete(child);
        exited(code);
      });
    });
  }

  /** Null while it runs and when a signal ended it. */
  get exitCode(): number | null {
    return this.child.exitCode;
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Unexpected end of the process: code, signal and last output; null: none. */
  get crash(): string | null {
    if (this.isRunning || this.#isTold) return null;
    return `${this.child.exitCode ?? this.child.signalCode}: ${this.output.slice(-2000)}`;
  }

  /** Waits for output that matches; fails with the output when it ends first. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    const deadline = Date.now() + SAY_MS;
    for (;;) {
      const found = pattern.exec(this.output);
      if (found !== null) return found;
      if (!this.isRunning || Date.now() > deadline)
        throw new Error(`never said ${String(pattern)}: ${this.output}`);
      await new Promise((later) => setTimeout(later, 10));
    }
  }

  /** Writes a line to its standard input. */
  tell(line: string): void {
    this.child.stdin?.write(`${line}\n`);
  }

  /** Ends it at once; resolves with its exit code, null after a signal. */
  kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<number | null> {
    this.#isTold = true;
    if (this.isRunning) this.child.kill(signal);
    return this.#exited;
  }
}

/** Starts a script with this Node; `env` adds to this process's environment. */
export function spawnNode(
  script: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): SpawnedNode {
  return new SpawnedNode(
    spawn(process.execPath, [script, ...args], {
      env: { ...process.env, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    }),
  );
}

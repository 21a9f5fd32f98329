import { type ChildProcess, fork } from 'node:child_process';
import { isNews, WORKER_VARIABLE, type Order, type WorkerKind, type WorkerNews } from './messages.js';

/** Command of a worker: this program again. */
export interface WorkerProgram {
  readonly script: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** End of a worker. */
export interface WorkerEnd {
  /** 0 after an orderly stop, 1 when a signal ended it. */
  readonly code: number;
  readonly signal: string | null;
  readonly wasReady: boolean;
  readonly livedMs: number;
}

export interface WorkerListener {
  news(news: WorkerNews): void;
  /** Called once, last; also when the process could not be started. */
  ended(end: WorkerEnd): void;
}

/** One process that shares the main port, from its start to its end. */
export class Worker {
  readonly #child: ChildProcess;
  readonly #startedAt = Date.now();
  #isReady = false;
  #hasEnded = false;

  constructor({ script, args, env }: WorkerProgram, kind: WorkerKind, listener: WorkerListener) {
    this.#child = fork(script, args, { env: { ...env, [WORKER_VARIABLE]: kind }, stdio: 'inherit' });
    this.#child.on('message', (message) => {
      if (!isNews(message)) return;
      if (message === 'ready') this.#isReady = true;
      listener.news(message);
    });
    const end = (code: number, signal: string | null): void => {
      if (this.#hasEnded) return;
      this.#hasEnded = true;
      listener.ended({ code, signal, wasReady: this.#isReady, livedMs: Date.now() - this.#startedAt });
    };
    this.#child.on('exit', (code, signal) => end(code ?? 1, signal));
    // An order that cannot be delivered is an error too; the exit event follows.
    this.#child.on('error', () => {
      if (this.#child.pid === undefined) end(1, null);
    });
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /** Undefined when it could not be started. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  tell(order: Order): void {
    if (this.#child.connected) this.#child.send(order, () => undefined);
  }

  /** Ends it at once. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }
}

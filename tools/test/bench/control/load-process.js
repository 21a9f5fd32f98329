import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { BenchError } from '../settings/bench-error.js';
import { remember } from './children.js';

const WORKER = fileURLToPath(new URL('../load/worker.js', import.meta.url));

/** @typedef {{ result?: unknown, problem?: string, expected?: boolean, stack?: string }} Answer */

/** One load process and the one command it may be busy with. */
export class LoadProcess {
  /** @type {((answer: Answer) => void) | null} */
  #waiting = null;

  constructor() {
    this.child = fork(WORKER, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    remember(this.child, () => this.child.kill('SIGKILL'));
    this.child.on('message', (message) => this.#answer(/** @type {Answer} */ (message)));
    this.child.once('exit', (code, signal) =>
      this.#answer({ problem: `a load process ended early (${signal ?? code})`, expected: true }),
    );
  }

  /**
   * Sends a command and resolves with its result.
   * @param {object} message
   * @param {number} timeoutMs
   * @returns {Promise<any>}
   */
  ask(message, timeoutMs) {
    return new Promise((done, failed) => {
      const timer = setTimeout(
        () => this.#answer({ problem: `a load process gave no answer in ${timeoutMs} ms`, expected: true }),
        timeoutMs,
      );
      this.#waiting = ({ result, problem, expected, stack }) => {
        clearTimeout(timer);
        this.#waiting = null;
        if (problem === undefined) return done(result);
        return failed(expected === true ? new BenchError(problem) : new Error(stack ?? problem));
      };
      if (this.child.connected) this.child.send(message);
      else this.#answer({ problem: 'a load process has ended', expected: true });
    });
  }

  /** Lets it end by itself: it does when the channel closes. */
  release() {
    if (this.child.connected) this.child.disconnect();
  }

  /** @param {Answer} answer */
  #answer(answer) {
    this.#waiting?.(answer);
  }
}

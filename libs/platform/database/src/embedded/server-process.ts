import { type ChildProcess, fork } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bounded, type Logger, pause } from '@carillon/runtime';
import { DatabaseUnavailable } from '../failures.js';
import { isNews, type ServerNews, STOP } from './messages.js';

const PROGRAM = fileURLToPath(new URL('server.js', import.meta.url));

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5000;
/** Limit of an orderly stop, which writes memory to disk. */
const STOP_TIMEOUT_MS = 5000;

/** Keeps the embedded server running, from its first start until it is stopped. */
export class ServerProcess {
  #child: ChildProcess | null = null;
  #starting: Promise<void> | null = null;
  readonly #stopping = new AbortController();

  /** Both folders are absolute paths; the second is made by the server, and removed at the end. */
  constructor(
    private readonly folder: string,
    private readonly socketFolder: string,
    private readonly log: Logger,
  ) {}

  /**
   * Resolves when it serves. Rejects with `DatabaseUnavailable`, and may then be called again, or with another error
   * when the folder must not be touched.
   */
  start(): Promise<void> {
    this.#starting ??= this.#start().catch(async (thrown: unknown) => {
      this.#starting = null;
      await rm(this.socketFolder, { recursive: true, force: true });
      throw thrown;
    });
    return this.#starting;
  }

  /** Idempotent. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#starting?.catch(() => undefined);
    const child = this.#child;
    if (child !== null && child.exitCode === null && child.signalCode === null) {
      const gone = new Promise<void>((done) => child.once('exit', () => done()));
      if (child.connected) child.send(STOP, () => undefined);
      if ((await bounded(STOP_TIMEOUT_MS, () => gone)).kind === 'timeout') child.kill('SIGKILL');
      await gone;
    }
    await rm(this.socketFolder, { recursive: true, force: true });
  }

  async #start(): Promise<void> {
    let news = await this.#launch();
    if (news.kind === 'made') news = await this.#launch();
    if (news.kind === 'ready') return;
    const reason = `embedded PostgreSQL: ${news.kind === 'failed' ? news.reason : 'nothing was made'}`;
    if (news.kind === 'failed' && news.final) throw new Error(reason);
    throw new DatabaseUnavailable('refused', reason);
  }

  /** Runs the program until its first message. */
  #launch(): Promise<ServerNews> {
    if (this.#stopping.signal.aborted)
      return Promise.resolve({ kind: 'failed', reason: 'stopped', final: false });
    // Environment variables of this process, secrets among them, are not passed on.
    const child = fork(PROGRAM, [this.folder, this.socketFolder], {
      env: {},
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#child = child;
    return new Promise((done) => {
      let news: ServerNews | null = null;
      child.once('error', (error) => done({ kind: 'failed', reason: error.message, final: false }));
      child.once('exit', (code, signal) => {
        const ending = signal ?? `code ${code}`;
        if (news?.kind === 'ready') void this.#again(ending);
        else done(news ?? { kind: 'failed', reason: `ended with ${ending}`, final: false });
      });
      child.once('message', (message) => {
        if (!isNews(message)) return;
        news = message;
        if (message.kind === 'ready') done(message);
      });
    });
  }

  /** Restarts the server. Calls fail until it is back; committed data is kept. */
  async #again(ending: string): Promise<void> {
    const { signal } = this.#stopping;
    if (signal.aborted) return;
    this.log.error('the embedded PostgreSQL ended, it is started again', { ended: ending });
    for (let waitMs = FIRST_PAUSE_MS; !signal.aborted; waitMs = Math.min(waitMs * 2, LONGEST_PAUSE_MS)) {
      await pause(waitMs, signal);
      if (signal.aborted) return;
      const news = await this.#launch();
      if (news.kind === 'ready') {
        this.log.info('the embedded PostgreSQL serves again');
        return;
      }
      this.log.error('the embedded PostgreSQL did not start', {
        error: news.kind === 'failed' ? news.reason : news.kind,
        retryable: true,
      });
    }
  }
}

import type { Lease, MessageMap } from '../../port.js';
import { createClient, type PgClient, type Row } from './client.js';

export interface SessionOptions {
  readonly url: string;
  readonly applicationName: string;
  /** The server ends a session after this time without a query; so does this side. */
  readonly timeoutMs: number;
}

/** Settings of a reader session. Hash and merge joins would read whole slots; the order of the outbox is that of its indexes. */
const SETTINGS: Readonly<Record<string, string>> = {
  tcp_keepalives_idle: '2',
  tcp_keepalives_interval: '2',
  tcp_keepalives_count: '3',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_bitmapscan: 'off',
  jit: 'off',
  plan_cache_mode: 'force_generic_plan',
  search_path: 'pg_catalog, pg_temp',
};

/**
 * One database session. All locks of a source are held by it, so they are lost with it: the lease ends when the connection
 * does, when a query fails, and when no query was answered for `timeoutMs`.
 */
export class Session implements Lease {
  readonly #controller = new AbortController();
  readonly #watchdog: NodeJS.Timeout;
  #answeredAtMs = performance.now();
  #last: Promise<void> = Promise.resolve();
  #notified: (payload: string) => void = () => {};

  private constructor(
    private readonly client: PgClient,
    private readonly options: SessionOptions,
    readonly messages: MessageMap,
  ) {
    client.on('error', (error) => this.end(error));
    client.on('end', () => this.end(new Error('connection closed')));
    client.on('notification', ({ payload = '' }) => this.#notified(payload));
    this.#watchdog = setInterval(() => void this.isEnded, Math.min(1000, options.timeoutMs / 4));
  }

  /** Connects. Rejects if the database cannot be reached in 5 s. */
  static async open(options: SessionOptions, messages: MessageMap): Promise<Session> {
    const client = await createClient(options.url, options.applicationName);
    const session = new Session(client, options, messages);
    try {
      await client.connect();
      const idle = { ...SETTINGS, idle_session_timeout: String(options.timeoutMs) };
      const names = Object.keys(idle);
      await session.query('SELECT set_config(k, v, false) FROM unnest($1::text[], $2::text[]) x (k, v)', [
        names,
        Object.values(idle),
      ]);
      return session;
    } catch (error) {
      session.end(error);
      throw error;
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why the session ended; undefined before. */
  get reason(): unknown {
    return this.signal.reason;
  }

  get isEnded(): boolean {
    if (this.signal.aborted) return true;
    if (performance.now() - this.#answeredAtMs < this.options.timeoutMs) return false;
    this.end(new Error(`no query was answered for ${this.options.timeoutMs} ms`));
    return true;
  }

  onNotification(listener: (payload: string) => void): void {
    this.#notified = listener;
  }

  /** Runs a query. Any failure ends the session: what it held is unknown then. `name`: prepared once per session. */
  query(text: string, values: readonly unknown[] = [], name?: string): Promise<readonly Row[]> {
    const before = this.#last;
    const answering = before.then(() => this.#ask(text, values, name));
    this.#last = answering.then(
      () => undefined,
      () => undefined,
    );
    return answering;
  }

  /** Only when the query before it was answered. */
  async #ask(text: string, values: readonly unknown[], name: string | undefined): Promise<readonly Row[]> {
    if (this.isEnded) throw this.reason;
    const askedAtMs = performance.now();
    try {
      const answer = this.client.query({ text, values, ...(name === undefined ? {} : { name }) });
      const { rows } = await this.#unlessEnded(answer);
      this.#answeredAtMs = Math.max(this.#answeredAtMs, askedAtMs);
      return rows;
    } catch (error) {
      this.end(error);
      throw error;
    }
  }

  /** Ends the lease and the connection, and so releases all locks. */
  end(reason: unknown): void {
    if (this.signal.aborted) return;
    clearInterval(this.#watchdog);
    this.#controller.abort(reason instanceof Error ? reason : new Error('session ended'));
    void this.client.end().catch(() => {});
    // A connection that is cut off would wait for its goodbye.
    setTimeout(() => this.client.connection?.stream?.destroy(), 1000).unref();
  }

  #unlessEnded<Value>(answer: Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      const ended = (): void => reject(this.reason);
      this.signal.addEventListener('abort', ended, { once: true });
      answer.then(resolve, reject).finally(() => this.signal.removeEventListener('abort', ended));
    });
  }
}

import { bounded } from '@carillon/runtime';
import type { EntityManager } from 'typeorm';
import type { Dialect, Runner, Statement } from './dialects/dialect.js';
import { DatabaseUnavailable, isFailure } from './failures.js';
import type { QueryOptions, SqlAnswer, SqlSession, SqlValue } from './port.js';

/** Structured result of the client library's wrapper. */
interface Structured {
  readonly records?: SqlAnswer['rows'];
  readonly affected?: number;
}

/**
 * A connection borrowed from the pool. After a statement without a timely answer, or a connection failure, it is
 * closed instead of returned, because a late answer would be taken for that of another statement.
 */
export class Session implements SqlSession {
  readonly #abandoned = new AbortController();
  /** Whether statements are on their way before those ahead are answered; then one that fails ends its transaction. */
  readonly pipelines: boolean;
  /** Last statement, where statements have to wait for each other. */
  #last: Promise<unknown> = Promise.resolve();
  #usable = true;
  #ended = false;

  constructor(
    private readonly dialect: Dialect,
    private readonly runner: Runner,
    private readonly connection: object,
    private readonly answerTimeoutMs: number,
    private readonly onLost: () => void,
  ) {
    this.pipelines = dialect.pipelines?.(connection) === true;
  }

  async query(
    sql: string,
    values: readonly SqlValue[] = [],
    { again = false }: QueryOptions = {},
  ): Promise<SqlAnswer> {
    const ask = (): Promise<SqlAnswer> => this.#query({ sql, values, again });
    if (this.pipelines) return ask();
    const answered = this.#last.then(ask);
    this.#last = answered.catch(() => undefined);
    return answered;
  }

  async #query(statement: Statement): Promise<SqlAnswer> {
    if (this.#ended || !this.#usable) throw new DatabaseUnavailable('lost', 'the connection is not usable');
    const { send } = this.dialect;
    return this.#answered(() => send?.(this.connection, statement) ?? this.#wrapped(statement));
  }

  async #answered<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    const outcome = await bounded(this.answerTimeoutMs, ask, this.#abandoned.signal);
    if (outcome.kind === 'done') return outcome.value;
    if (outcome.kind === 'timeout') {
      if (this.#abandoned.signal.aborted)
        throw new DatabaseUnavailable('lost', 'the connection was given up');
      this.#usable = false;
      throw new DatabaseUnavailable('timeout', `no answer in ${this.answerTimeoutMs} ms`);
    }
    const failure = failureOf(this.dialect, outcome.error);
    if (failure instanceof DatabaseUnavailable) this.#usable = false;
    if (failure instanceof DatabaseUnavailable && failure.reason === 'lost') this.onLost();
    throw failure;
  }

  async #wrapped({ sql, values }: Statement): Promise<SqlAnswer> {
    const { records = [], affected = 0 } = (await this.runner.query(sql, [...values], true)) as Structured;
    return { rows: records, changed: affected };
  }

  /** Runs entity operations within the response timeout; no statement runs meanwhile. */
  async entities<Result>(work: (manager: EntityManager) => Promise<Result>): Promise<Result> {
    return this.#answered(() => work(this.runner.manager));
  }

  /** Closes the connection now; running calls reject. */
  abandon(): void {
    this.#usable = false;
    this.#abandoned.abort();
    this.end();
  }

  /** Gives the connection back, or closes it. Idempotent. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    if (!this.#usable) this.dialect.discard(this.connection);
    this.runner.release().catch(() => undefined);
  }
}

/** Converts a thrown value into an error of this package. */
export function failureOf(dialect: Dialect, error: unknown): Error {
  if (isFailure(error)) return error;
  // The wrapper's own error repeats the statement with its values.
  const inner = (error as { readonly driverError?: unknown }).driverError ?? error;
  return dialect.classify(inner);
}

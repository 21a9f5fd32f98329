import { Client, type QueryOptions, types } from 'cassandra-driver';
import { clientOptions, SCHEMA_TIMEOUT_MS } from './client-options.js';
import { explainFailure, ScyllaUnavailable } from './failures.js';
import { forEach } from './for-each.js';
import { ensureKeyspace } from './keyspace.js';
import { resolveNodes } from './local-data-center.js';
import { quoted, type ScyllaSettings } from './settings.js';
import { within } from './within.js';

/** A statement with `?` for each parameter. 64-bit integers are `bigint`. */
export interface Statement {
  readonly query: string;
  readonly params: readonly unknown[];
}

export type ScyllaRow = Readonly<Record<string, unknown>>;

export interface RowPage {
  readonly rows: readonly ScyllaRow[];
  /** Null after the last page. */
  readonly pageState: string | null;
}

export interface ReadOptions {
  /** Completes conditional writes of unknown outcome first, and sees them. */
  readonly isSerial?: boolean;
  /** Rows of one page; 5,000 unless given. */
  readonly fetchSize?: number;
  /** `pageState` of the previous page. */
  readonly pageState?: string | null;
}

const CONNECT_TIMEOUT_MS = 15_000;
const CLOSE_TIMEOUT_MS = 5000;

/**
 * A session on a ScyllaDB or Cassandra cluster, in one keyspace.
 *
 * - Every call ends in time, with an answer, `ScyllaUnavailable` or `ScyllaRejected`.
 * - Reads and writes use LOCAL_QUORUM, conditional writes LOCAL_SERIAL: a read that starts after a write resolved sees it.
 * - Lost connections are replaced in the background. Reads and unconditional writes may be sent twice, conditional
 *   writes never are.
 */
export class ScyllaSession {
  #client: Client | null = null;
  #connecting: Promise<Client> | null = null;
  #isClosed = false;

  constructor(readonly settings: ScyllaSettings) {}

  /** The qualified, quoted name of a table. */
  table(name: string): string {
    return `${quoted(this.settings.keyspace)}.${quoted(name)}`;
  }

  /** Connects and creates the keyspace if it is missing. May be repeated. */
  async connect(): Promise<void> {
    await this.#connected();
    await ensureKeyspace(this);
  }

  async read(statement: Statement, options: ReadOptions = {}): Promise<RowPage> {
    const { isSerial = false, fetchSize, pageState } = options;
    const { rows, pageState: next } = await this.#execute(statement, {
      isIdempotent: true,
      ...(isSerial ? { consistency: types.consistencies.localSerial } : {}),
      ...(fetchSize === undefined ? {} : { fetchSize }),
      ...(pageState ? { pageState } : {}),
    });
    return { rows: rows.map(asRecord), pageState: next || null };
  }

  /** Every row, page by page; stops reading when the consumer stops. */
  async *readAll(statement: Statement, options: ReadOptions = {}): AsyncGenerator<ScyllaRow, void> {
    let pageState: string | null = null;
    do {
      const page: RowPage = await this.read(statement, { ...options, pageState });
      yield* page.rows;
      ({ pageState } = page);
    } while (pageState !== null);
  }

  /**
   * Applies statements of one partition atomically if the conditions of all hold; at least one has a condition.
   * Resolves with false, without a change, if one does not hold. If it rejects with `ScyllaUnavailable`, the statements
   * may apply later, until a serial read of the partition succeeds.
   */
  async applyIf(statements: readonly Statement[]): Promise<boolean> {
    const [only] = statements;
    if (only !== undefined && statements.length === 1) {
      return (await this.#execute(only, { isIdempotent: false })).wasApplied();
    }
    const queries = statements.map(({ query, params }) => ({ query, params: [...params] }));
    const options = { isIdempotent: false, logged: false, prepare: true };
    return (await this.#run((client) => client.batch(queries, options))).wasApplied();
  }

  /** The rows of all statements, in no order. Stops after the first statement that fails. */
  async readMany(statements: readonly Statement[]): Promise<ScyllaRow[]> {
    const rows: ScyllaRow[] = [];
    await forEach(statements, async (statement) => {
      for await (const row of this.readAll(statement)) rows.push(row);
    });
    return rows;
  }

  /** Runs unconditional writes individually and unordered. Stops after the first that fails. */
  async writeAll(statements: readonly Statement[]): Promise<void> {
    await forEach(statements, (statement) => this.#execute(statement, { isIdempotent: true }));
  }

  /** Runs a statement that changes the schema; resolves when the nodes agree on it. */
  async changeSchema(query: string): Promise<void> {
    await this.#execute({ query, params: [] }, { prepare: false, readTimeout: SCHEMA_TIMEOUT_MS });
  }

  /** Whether the keyspace has a table of this name. */
  async hasTable(name: string): Promise<boolean> {
    return this.#isTable(this.settings.keyspace, name);
  }

  /** Whether a secondary index of any name exists on the column. */
  async hasIndex(table: string, column: string): Promise<boolean> {
    const query = 'SELECT options FROM system_schema.indexes WHERE keyspace_name = ? AND table_name = ?';
    const { rows } = await this.read({ query, params: [this.settings.keyspace, table] });
    const targets = rows.map((row) => (row['options'] as Record<string, string> | null)?.['target']);
    return targets.some((target) => target === column || target === quoted(column));
  }

  /** Whether the server is ScyllaDB and not Cassandra. */
  async isScylla(): Promise<boolean> {
    return this.#isTable('system_schema', 'scylla_tables');
  }

  /** Reads the row that a node has about itself. */
  async health(): Promise<void> {
    const consistency = types.consistencies.localOne;
    await this.#execute(
      { query: 'SELECT key FROM system.local', params: [] },
      { isIdempotent: true, consistency },
    );
  }

  /** Idempotent, never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const client = this.#client ?? (await this.#connecting?.catch(() => null));
    this.#client = null;
    if (client) await shutDown(client);
  }

  async #isTable(keyspace: string, name: string): Promise<boolean> {
    const query = 'SELECT table_name FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?';
    return (await this.read({ query, params: [keyspace, name] })).rows.length > 0;
  }

  #execute({ query, params }: Statement, options: QueryOptions): Promise<types.ResultSet> {
    return this.#run((client) => client.execute(query, [...params], options));
  }

  async #run<Answer>(work: (client: Client) => Promise<Answer>): Promise<Answer> {
    const client = await this.#connected();
    try {
      return await work(client);
    } catch (thrown) {
      throw explainFailure(thrown, this.settings);
    }
  }

  /** The client, connected; concurrent callers share one attempt, and each failed attempt is followed by a new one. */
  async #connected(): Promise<Client> {
    if (this.#client !== null) return this.#client;
    if (this.#isClosed) throw new ScyllaUnavailable('the session is closed');
    this.#connecting ??= this.#open().finally(() => {
      this.#connecting = null;
    });
    return this.#connecting;
  }

  async #open(): Promise<Client> {
    const client = new Client(clientOptions(this.settings, await resolveNodes(this.settings.nodes)));
    try {
      await within(CONNECT_TIMEOUT_MS, client.connect());
    } catch (thrown) {
      void shutDown(client);
      throw explainFailure(thrown, this.settings);
    }
    this.#client = client;
    return client;
  }
}

const asRecord = (row: types.Row): ScyllaRow =>
  Object.fromEntries(row.keys().map((name) => [name, row.get(name)]));

/** A client that never connected has nothing to close and rejects. */
async function shutDown(client: Client): Promise<void> {
  await within(CLOSE_TIMEOUT_MS, client.shutdown()).catch(() => undefined);
}

import { pause } from '@carillon/runtime';
import type { EventSink, IngestSource, SourceStatus } from '../../port.js';
import { SCHEMA_VERSION } from './installation/names.js';
import { PostgresMessageMap } from './message-map.js';
import type { PostgresSourceOptions, SourceLog } from './options.js';
import { Reader } from './reader.js';
import { Session } from './session.js';
import { statements } from './statements.js';

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5000;

/** The outbox of a PostgreSQL database in table mode. */
export class PostgresSource implements IngestSource {
  readonly name: string;
  readonly #stopping = new AbortController();
  readonly #messages = new PostgresMessageMap();
  #reader: Reader | null = null;
  #session: Session | null = null;
  #problem: string | null = 'not connected yet';
  #running: Promise<void> = Promise.resolve();

  constructor(
    private readonly options: PostgresSourceOptions,
    private readonly log: SourceLog,
  ) {
    this.name = options.name;
  }

  start(sink: EventSink): void {
    this.#running = this.#run(sink);
  }

  async stop(signal: AbortSignal): Promise<void> {
    this.#stopping.abort();
    this.#reader?.stop();
    const abandon = (): void => this.#session?.end(new Error('the process stops'));
    signal.addEventListener('abort', abandon, { once: true });
    if (signal.aborted) abandon();
    await this.#running;
  }

  status(): SourceStatus {
    const partitions = [...(this.#reader?.partitions.all ?? [])];
    const oldest = partitions.map(({ ledger }) => ledger.oldestAtMs).filter((atMs) => atMs !== null);
    const lagSeconds = oldest.length === 0 ? 0 : Math.max(0, Date.now() - Math.min(...oldest)) / 1000;
    const open = partitions.reduce((sum, { ledger }) => sum + ledger.open, 0);
    return {
      problem: this.#problem,
      partitionsOwned: partitions.length,
      lagRows: Math.max(open, this.#reader?.upkeep.lagRows ?? 0),
      lagSeconds,
      deadLetters: this.#reader?.upkeep.deadLetters ?? null,
    };
  }

  /** Never rejects. */
  async #run(sink: EventSink): Promise<void> {
    const { signal } = this.#stopping;
    let pauseMs = FIRST_PAUSE_MS;
    while (!signal.aborted) {
      const connectedAtMs = await this.#read(sink);
      if (connectedAtMs !== null) pauseMs = FIRST_PAUSE_MS;
      if (!signal.aborted) await pause(pauseMs, signal);
      pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
    }
  }

  /** Reads over one session until it ends. Returns null if there was none. */
  async #read(sink: EventSink): Promise<number | null> {
    let connectedAtMs: number | null = null;
    try {
      const reader = await this.#open(sink);
      connectedAtMs = performance.now();
      await reader.run();
      this.#session?.end(new Error('the source stops'));
    } catch (error) {
      this.#session?.end(error);
      const problem = error instanceof Error ? error.message : String(error);
      if (this.#problem !== problem && !this.#stopping.signal.aborted)
        this.log.warn('ingest source is unavailable', { source: this.name, error: problem, retryable: true });
      this.#problem = problem;
    }
    this.#reader = null;
    return connectedAtMs;
  }

  async #open(sink: EventSink): Promise<Reader> {
    const { options } = this;
    const { url, schema, sessionTimeoutMs } = options;
    const sql = statements(schema);
    const session = await Session.open(
      { url, applicationName: `carillon ingest ${this.name}`, timeoutMs: sessionTimeoutMs },
      this.#messages,
    );
    this.#session = session;
    const [meta] = await session.query(sql.meta);
    if (meta === undefined) throw new Error(`schema "${schema}" is not installed`);
    const version = Number(meta['version']);
    if (version > SCHEMA_VERSION)
      throw new Error(`schema version ${version} is newer than this build (${SCHEMA_VERSION})`);
    this.#messages.lookUp = async (...values) => {
      const [row] = await session.query(sql.serial, values, 'serial');
      return row === undefined ? null : String(row['message_serial']);
    };
    const reader = new Reader({
      session,
      sql,
      sink,
      messages: this.#messages,
      options,
      key: Number(meta['key']),
      partitions: Number(meta['partitions']),
    });
    this.#reader = reader;
    this.#problem = null;
    this.log.info('ingest source connected', { source: this.name, schema, version });
    if (this.#stopping.signal.aborted) reader.stop();
    return reader;
  }
}

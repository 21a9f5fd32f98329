import { engine } from '@carillon/test-backends';

type Row = Readonly<Record<string, unknown>>;

/** What tests use of a `pg` client. */
export interface Sql {
  connect(): Promise<void>;
  query(text: string, values?: readonly unknown[]): Promise<{ readonly rows: readonly Row[] }>;
  on(event: 'error', listener: () => void): void;
  end(): Promise<void>;
}

const PACKAGE: string = 'pg';

/** A connected client. */
export async function openSql(url: string): Promise<Sql> {
  const { default: pg } = (await import(PACKAGE)) as {
    readonly default: { readonly Client: new (options: object) => Sql };
  };
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  // Servers that are killed end connections.
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** A database of a user, and the settings of the source that reads it. */
export interface Outbox {
  readonly url: string;
  readonly source: Readonly<Record<string, unknown>>;
  /** Null: the server is shared with other tests. */
  readonly restart: (() => Promise<unknown>) | null;
  end(): Promise<void>;
}

/** An empty database; `own`: on a server of its own, which may be killed. */
export async function openOutbox(
  isOwn = false,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Outbox> {
  const handle = await engine('postgres', isOwn ? { own: true } : {});
  const { url, end } = await handle.isolate();
  return {
    url,
    source: { name: 'orders', type: 'postgres', app: 'shop', url, session_timeout_ms: 2000, ...more },
    restart: isOwn ? () => handle.restart() : null,
    end: async () => {
      await end();
      if (isOwn) await handle.release();
    },
  };
}

/** A row as the driver returns it: int8 as text. */
export type Row = Readonly<Record<string, unknown>>;

/** What is used of a `pg` client. */
export interface PgClient {
  connect(): Promise<void>;
  query(query: {
    readonly name?: string;
    readonly text: string;
    readonly values?: readonly unknown[];
  }): Promise<{
    readonly rows: readonly Row[];
  }>;
  on(event: 'error' | 'end', listener: (error?: Error) => void): void;
  on(event: 'notification', listener: (message: { readonly payload?: string }) => void): void;
  end(): Promise<void>;
  readonly connection?: { readonly stream?: { destroy(): void } };
}

interface PgModule {
  readonly Client: new (options: Readonly<Record<string, unknown>>) => PgClient;
}

const CONNECT_TIMEOUT_MS = 5000;
/** Not a literal: the package has no types. */
const PACKAGE: string = 'pg';

/** Loads the driver and makes a client that is not connected yet. */
export async function createClient(url: string, applicationName: string): Promise<PgClient> {
  const { default: pg } = (await import(PACKAGE)) as { readonly default: PgModule };
  return new pg.Client({
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 2000,
  });
}

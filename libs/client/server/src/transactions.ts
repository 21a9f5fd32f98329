/** One event that is published when the transaction of its client commits. */
export interface TransactionEvent {
  readonly app: string;
  readonly channel: string;
  readonly event: string;
  /** A string as it is, anything else as its JSON; absent, `null` is delivered. */
  readonly data?: unknown;
  /** Options of `publish`: `socket_id`, `tags`, `delta`, `idempotency_key`, `message_id`, `extras`. */
  readonly options?: Readonly<Record<string, unknown>>;
}

export interface TransactionOptions {
  /** Schema of the outbox. @default carillon */
  readonly schema?: string;
  /** The `sql` tag of `drizzle-orm`; required for a Drizzle transaction. */
  readonly sql?: DrizzleSql;
}

/** What is used of the `sql` tag of `drizzle-orm`. */
export interface DrizzleSql {
  (strings: TemplateStringsArray, ...values: unknown[]): unknown;
  raw(text: string): unknown;
}

type Query = (text: string, values: readonly unknown[]) => Promise<unknown>;
type Members = Readonly<Record<string, unknown>>;
type Rows = readonly Members[];

const IDENTIFIER = /^[a-z_][a-z0-9_]*$/;
const MAX_TOGETHER = 10_000;

/**
 * Publishes events in the transaction of `client`: they are delivered exactly if it commits. Returns the ids in the order of
 * the events; the id is the `message_id` of an event that names none. Needs the outbox of `apps/ingest` in the database.
 *
 * @param client A `pg` client, a TypeORM `EntityManager` or `QueryRunner`, a Prisma or a Drizzle transaction.
 * @throws TypeError for a pool, a `DataSource` or a `PrismaClient`, whose statements belong to no transaction.
 */
export async function publishInTransaction(
  client: object,
  events: TransactionEvent | readonly TransactionEvent[],
  { schema = 'carillon', sql }: TransactionOptions = {},
): Promise<string[]> {
  if (!IDENTIFIER.test(schema)) throw new TypeError(`invalid identifier "${schema}"`);
  const query = queryOf(client as Members, sql);
  const all: readonly TransactionEvent[] = Array.isArray(events)
    ? (events as readonly TransactionEvent[])
    : [events as TransactionEvent];
  const ids: string[] = [];
  for (const run of runsOf(all)) ids.push(...(await publishRun(query, schema, run)));
  return ids;
}

async function publishRun(query: Query, schema: string, run: readonly TransactionEvent[]): Promise<string[]> {
  const app = run[0]?.app;
  // Text goes through text[], so that no member of it is reordered and no digit is lost.
  const text = `SELECT "${schema}".publish($1, e.channel, e.event, e.data, e.options::jsonb)::text AS id
    FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) WITH ORDINALITY e (channel, event, data, options, n) ORDER BY e.n`;
  const rows = rowsOf(
    await query(text, [
      app,
      run.map(({ channel }) => channel),
      run.map(({ event }) => event),
      run.map(({ data }) => dataText(data)),
      run.map(({ options = {} }) => JSON.stringify(options)),
    ]),
  );
  return rows.map(({ id }) => String(id));
}

/** Null for data that is absent. */
function dataText(data: unknown): string | null {
  if (data === undefined || data === null) return null;
  return typeof data === 'string' ? data : JSON.stringify(data);
}

/** Consecutive events of one app. */
function runsOf(events: readonly TransactionEvent[]): readonly TransactionEvent[][] {
  const runs: TransactionEvent[][] = [];
  for (const event of events) {
    const open = runs.at(-1);
    if (open !== undefined && open[0]?.app === event.app && open.length < MAX_TOGETHER) open.push(event);
    else runs.push([event]);
  }
  return runs;
}

function queryOf(client: Members, sql: DrizzleSql | undefined): Query {
  const has = (name: string): boolean => typeof client[name] === 'function';
  const call = (name: string, ...values: readonly unknown[]): Promise<unknown> =>
    (client[name] as (...given: readonly unknown[]) => Promise<unknown>)(...values);
  if (has('$queryRawUnsafe')) {
    if (has('$transaction')) throw wrong('PrismaClient');
    return (text, values) => call('$queryRawUnsafe', text, ...values);
  }
  if (has('execute') && has('rollback')) {
    if (sql === undefined) throw new TypeError('a Drizzle transaction needs the option sql');
    return (text, values) => call('execute', drizzleQuery(sql, text, values));
  }
  if (!has('query')) throw wrong(nameOf(client));
  if ('totalCount' in client) throw wrong('pg.Pool');
  if (has('createQueryRunner')) throw wrong('DataSource');
  return (text, values) => call('query', text, values);
}

/** The statement as Drizzle takes it: texts and values in turn. Arrays are passed as text, since Drizzle would spread them. */
function drizzleQuery(sql: DrizzleSql, text: string, values: readonly unknown[]): unknown {
  const strings = text.split(/\$\d/);
  const given = values.map((value) => (Array.isArray(value) ? arrayText(value as (string | null)[]) : value));
  return sql(Object.assign([...strings], { raw: [...strings] }), ...given);
}

/** Text of a PostgreSQL array. */
function arrayText(values: readonly (string | null)[]): string {
  const items = values.map((value) =>
    value === null ? 'NULL' : `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`,
  );
  return `{${items.join(',')}}`;
}

function rowsOf(answer: unknown): Rows {
  if (Array.isArray(answer)) return answer as Rows;
  const { rows } = answer as { readonly rows?: Rows };
  return rows ?? [];
}

const nameOf = (client: object): string => client.constructor?.name ?? typeof client;

const wrong = (name: string): TypeError =>
  new TypeError(`publishInTransaction needs the client of a transaction, got ${name}`);

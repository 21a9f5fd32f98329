import { openSql, type Sql } from './outbox.js';

/** One transaction of a writer, as far as the writer knows. */
export interface Written {
  readonly writer: number;
  readonly transaction: number;
  readonly events: readonly { readonly channel: string; readonly data: string }[];
  readonly beganAtMs: number;
  /** When COMMIT had returned; null: its outcome is unknown. */
  readonly committedAtMs: number | null;
}

/** Repeatable random numbers below `n`. */
function randomOf(seed: number): (n: number) => number {
  let state = seed >>> 0;
  return (n) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

/**
 * Writes transactions of random sizes with rollbacks and savepoints until it is stopped, and reconnects when the server
 * ends the connection. Each transaction that may be committed has a row in `written`, so that an unknown outcome can be
 * looked up.
 */
export class Writer {
  readonly written: Written[] = [];
  #isStopped = false;
  #running: Promise<void> = Promise.resolve();

  constructor(
    private readonly url: string,
    private readonly number: number,
    private readonly channels: readonly string[],
    private readonly pauseMs: number,
  ) {}

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    const random = randomOf(this.number + 1);
    let sql: Sql | null = null;
    for (let transaction = 0; !this.#isStopped; transaction += 1) {
      try {
        sql ??= await openSql(this.url);
        await this.#transaction(sql, transaction, random);
      } catch {
        await sql?.end().catch(() => {});
        sql = null;
      }
      await new Promise((later) => setTimeout(later, this.pauseMs));
    }
    await sql?.end().catch(() => {});
  }

  async #transaction(sql: Sql, transaction: number, random: (n: number) => number): Promise<void> {
    const events: { channel: string; data: string }[] = [];
    const beganAtMs = performance.now();
    await sql.query('BEGIN');
    await sql.query('INSERT INTO written (writer, transaction) VALUES ($1, $2)', [this.number, transaction]);
    const size = 1 + random(8);
    for (let index = 0; index < size; index += 1) {
      const isUndone = random(5) === 0;
      if (isUndone) await sql.query('SAVEPOINT undone');
      const channel = this.channels[random(this.channels.length)] ?? '';
      const data = `${this.number}:${transaction}:${index}`;
      await publish(sql, random(3), channel, data);
      if (isUndone) await sql.query('ROLLBACK TO undone');
      else events.push({ channel, data });
    }
    if (random(6) === 0) {
      await sql.query('ROLLBACK');
      return;
    }
    const known = { writer: this.number, transaction, events, beganAtMs };
    try {
      await sql.query('COMMIT');
      this.written.push({ ...known, committedAtMs: performance.now() });
    } catch (error) {
      this.written.push({ ...known, committedAtMs: null });
      throw error;
    }
  }
}

async function publish(sql: Sql, way: number, channel: string, data: string): Promise<void> {
  const event = JSON.stringify([{ channel, name: 'e', data }]);
  if (way === 0) await sql.query('SELECT carillon.publish_batch($1, $2)', ['shop', event]);
  else await sql.query('SELECT carillon.publish($1, $2, $3, $4::text)', ['shop', channel, 'e', data]);
}

/** Removes transactions whose outcome was unknown and that the database does not have. */
export async function committedOnly(url: string, written: readonly Written[]): Promise<readonly Written[]> {
  const sql = await openSql(url);
  const { rows } = await sql.query('SELECT writer, transaction FROM written');
  await sql.end();
  const kept = new Set(rows.map((row) => `${String(row['writer'])}:${String(row['transaction'])}`));
  return written.filter((one) => kept.has(`${one.writer}:${one.transaction}`));
}

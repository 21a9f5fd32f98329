// What a page costs whatever else the machine does: the blocks that its statements touch.

/** @typedef {import('@carillon/database').Database} Database */

/** Reads that can be watched. */
export class Watched {
  #on = false;
  /** Touched by what was watched last. */
  blocks = 0;
  /** The statement of all that touched most. @type {{ blocks: number, sql: string, plan: unknown }} */
  costliest = { blocks: 0, sql: '', plan: null };

  /** @param {Database} reads */
  constructor(reads) {
    /** @type {Database} */
    this.database = {
      dialect: reads.dialect,
      connect: () => reads.connect(),
      health: () => reads.health(),
      close: () => reads.close(),
      place: (name) => reads.place(name),
      entities: (work) => reads.entities(work),
      transaction: (work, setup) =>
        reads.transaction(
          (session) => work({ ...this.#watching(session), last: () => session.last() }),
          setup,
        ),
      ...this.#watching(reads),
    };
  }

  /** @template Result @param {() => Promise<Result>} work */
  async during(work) {
    this.#on = true;
    this.blocks = 0;
    try {
      return await work();
    } finally {
      this.#on = false;
    }
  }

  /** @param {import('@carillon/database').SqlSession} reads @returns {import('@carillon/database').SqlSession} */
  #watching(reads) {
    return {
      query: async (sql, values, options) => {
        if (this.#on) await this.#explain(reads, sql, values);
        return reads.query(sql, values, options);
      },
    };
  }

  /** @param {import('@carillon/database').SqlSession} reads @param {string} sql @param {readonly import('@carillon/database').SqlValue[]} [values] */
  async #explain(reads, sql, values) {
    const { rows } = await reads.query(`explain (analyze, buffers, format json) ${sql}`, values);
    const plans = /** @type {{ Plan: Record<string, number> }[] | undefined} */ (rows[0]?.['QUERY PLAN']);
    const plan = plans?.[0];
    const blocks = (plan?.Plan['Shared Hit Blocks'] ?? 0) + (plan?.Plan['Shared Read Blocks'] ?? 0);
    this.blocks += blocks;
    if (blocks > this.costliest.blocks) this.costliest = { blocks, sql, plan };
  }
}

import type { IngestEvent } from '../../event.js';
import type { Dead } from '../../outcome.js';
import type { PostgresMessageMap } from './message-map.js';
import type { OwnedPartition } from './partition.js';
import { deadRow, type DeadRow } from './rows.js';
import type { Session } from './session.js';
import type { Statements } from './statements.js';

/** Ends of events that are not stored yet: cursors, dead letters and message serials go into one statement. */
export class Ends {
  #dead: DeadRow[] = [];

  constructor(
    private readonly session: Session,
    private readonly sql: Statements,
    private readonly messages: PostgresMessageMap,
  ) {}

  addDead(event: IngestEvent, outcome: Dead): void {
    this.#dead.push(deadRow(event, outcome));
  }

  /** Stores what there is; without anything it asks nothing. */
  async store(partitions: Iterable<OwnedPartition>): Promise<void> {
    const numbers: number[] = [];
    const seqs: string[] = [];
    const ns: string[] = [];
    for (const { number, ledger } of partitions) {
      const passed = ledger.takePassed();
      if (passed === null) continue;
      numbers.push(number);
      seqs.push(passed.seq);
      ns.push(passed.n);
    }
    const dead = this.#dead;
    this.#dead = [];
    const messages = this.messages.takeUnstored();
    if (numbers.length + dead.length + messages.length === 0) return;
    const values = [numbers, seqs, ns, JSON.stringify(dead), JSON.stringify(messages)];
    await this.session.query(this.sql.store, values, 'store');
  }
}

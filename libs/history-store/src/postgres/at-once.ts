import type { SqlSession } from '@carillon/database';
import { slotsBetween } from '../model/calendar.js';
import type { Changes, Wanted } from '../model/changes.js';
import { arrayOf, binaryArray, INT, KEY, UUID, XID } from './binary-arrays.js';
import type { RememberedStream } from './remembered-streams.js';
import { receiptWrite, recordWrite, streamWrite } from './write.js';

/** The number of the transaction that asks, as the rows it writes have it. */
export const TRANSACTION_NUMBER = 'pg_current_xact_id()::xid::text';

/** What became of a batch. */
export interface Fit {
  /** False: something is not as it is remembered, and nothing was written. */
  readonly fits: boolean;
  readonly transactionNumber: string;
}

/** Whether nothing but records of messages, with what goes with them, is written. */
export const isOfPublishes = ({
  presenceEvents,
  presenceMembers,
  presenceCheckpoints,
  operatorLog,
}: Changes): boolean =>
  [presenceEvents, presenceMembers, presenceCheckpoints, operatorLog].every((rows) => rows.length === 0);

/** Placeholders of the question: what is remembered, and what must not be there. */
const QUESTION_WIDTH = 6;

/**
 * Commits a batch that was decided on what is remembered, in a statement that is a transaction by itself. It locks the
 * streams as far as nobody else holds them, and writes if all of them are as they are remembered and no receipt of the
 * batch is there. A receipt is always written together with its stream, so none can have come in between. It fails,
 * and keeps nothing, when other rows were written than there are.
 */
export class AtOnce {
  readonly #text: string;
  readonly #records: ReturnType<typeof recordWrite>;
  readonly #receipts: ReturnType<typeof receiptWrite>;
  readonly #streams: ReturnType<typeof streamWrite>;

  constructor(table: (name: string) => string) {
    this.#records = recordWrite(table);
    this.#receipts = receiptWrite(table);
    this.#streams = streamWrite(table);
    let next = QUESTION_WIDTH + 1;
    const parts = [this.#records, this.#receipts, this.#streams].map((write, index) => {
      const first = next;
      next += write.width;
      return {
        text: `written_${index} as (${write.text(first, 'where (select fits from question)')} returning 1)`,
        isWhole: `(select count(*) from written_${index}) = case when fits then cardinality($${first}) else 0 end`,
      };
    });
    this.#text = `with held as materialized (
        select s.stream_key from unnest($1::bigint[], $2::xid[]) as v(stream_key, written_by)
          join ${table('streams')} s on s.stream_key = v.stream_key where s.xmin = v.written_by
          for no key update of s skip locked),
      question as materialized (
        select (select count(*) from held) = $3 and not exists (
          select from ${table('receipts')} r
            where r.scope = any($4::uuid[]) and r.slot = any($5::int[]) and r.at_ms >= $6) as fits),
      ${parts.map(({ text }) => text).join(',\n')}
      select fits, ${TRANSACTION_NUMBER} as transaction_number,
        1 / (${parts.map(({ isWhole }) => isWhole).join(' and ')})::int as whole from question`;
  }

  async write(
    session: SqlSession,
    streams: readonly RememberedStream[],
    { nowMs, receipts: { scopes, sinceMs } }: Wanted,
    changes: Changes,
  ): Promise<Fit> {
    const { rows } = await session.query(
      this.#text,
      [
        binaryArray(KEY, streams, ({ stream }) => stream.streamKey),
        binaryArray(XID, streams, ({ writtenBy }) => writtenBy),
        streams.length,
        arrayOf(UUID, scopes),
        arrayOf(INT, slotsBetween(sinceMs, nowMs)),
        sinceMs,
        ...this.#records.arrays(changes.records),
        ...this.#receipts.arrays(changes.receipts),
        ...this.#streams.arrays(changes.streams),
      ],
      { again: true },
    );
    const [row] = rows;
    return { fits: row?.['fits'] === true, transactionNumber: String(row?.['transaction_number']) };
  }
}

import type { SqlSession } from '@carillon/database';
import { slotsBetween } from '../model/calendar.js';
import type { Wanted } from '../model/changes.js';
import { arrayOf, binaryArray, INT, KEY, UUID, XID } from './binary-arrays.js';
import type { RememberedStream } from './remembered-streams.js';

/** The number of the transaction that asks, as the rows it writes have it. */
export const TRANSACTION_NUMBER = 'pg_current_xact_id()::xid::text';

/** Kept by the transaction, for the statements behind the question to write nothing when it is answered no. */
const ANSWER = 'carillon.fits';
export const FITS = `current_setting('${ANSWER}', true) = 'true'`;

export interface Fit {
  readonly fits: boolean;
  readonly transactionNumber: string;
}

/** The question before a batch that was decided on what is remembered. */
export class Fits {
  readonly #question: string;

  constructor(table: (name: string) => string) {
    this.#question = `with held as materialized (
        select s.stream_key from unnest($1::bigint[], $2::xid[]) as v(stream_key, written_by)
          join ${table('streams')} s on s.stream_key = v.stream_key where s.xmin = v.written_by
          for no key update of s skip locked)
      select set_config('${ANSWER}', ((select count(*) from held) = $3 and not exists (
          select from ${table('receipts')} r
            where r.scope = any($4::uuid[]) and r.slot = any($5::int[]) and r.at_ms >= $6))::text, true) as fits,
        ${TRANSACTION_NUMBER} as transaction_number`;
  }

  /**
   * Locks the streams as far as nobody else holds them, and tells whether all of them are as they are remembered and no
   * receipt of the batch is there. A receipt is always written together with its stream, so none can have come in
   * between.
   */
  async ask(
    session: SqlSession,
    streams: readonly RememberedStream[],
    { nowMs, receipts: { scopes, sinceMs } }: Wanted,
  ): Promise<Fit> {
    const { rows } = await session.query(
      this.#question,
      [
        binaryArray(KEY, streams, ({ stream }) => stream.streamKey),
        binaryArray(XID, streams, ({ writtenBy }) => writtenBy),
        streams.length,
        arrayOf(UUID, scopes),
        arrayOf(INT, slotsBetween(sinceMs, nowMs)),
        sinceMs,
      ],
      { again: true },
    );
    const [row] = rows;
    return { fits: row?.['fits'] === 'true', transactionNumber: String(row?.['transaction_number']) };
  }
}

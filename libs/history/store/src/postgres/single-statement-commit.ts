import { DatabaseRejected, type SqlSession } from '@carillon/database';
import { keepDay, slotOf, slotsBetween } from '../model/calendar.js';
import type { Changes, Wanted } from '../model/changes.js';
import { streamName } from '../model/stream.js';
import { arrayOf, binaryArray, INT, KEY, TEXT, UUID, XID } from './binary-arrays.js';
import type { RememberedStream } from './remembered-streams.js';
import { messageWrite, newReceiptWrite, recordWrite, streamWrite } from './write.js';

/** Number of the current transaction, as stored in the rows it writes. */
export const TRANSACTION_NUMBER = 'pg_current_xact_id()::xid::text';

/** Outcome of a batch. */
export interface Fit {
  /** False: something is not as it is remembered, and nothing was written. */
  readonly fits: boolean;
  readonly transactionNumber: string;
}

const NOT_SO: Fit = { fits: false, transactionNumber: '' };

/** Whether the batch writes only records, messages and their related rows. */
export const isAtOnce = ({
  presenceEvents,
  presenceMembers,
  presenceCheckpoints,
  operatorLog,
  messages,
}: Changes): boolean =>
  [
    presenceEvents,
    presenceMembers,
    presenceCheckpoints,
    operatorLog,
    messages?.annotations ?? [],
    messages?.summaries ?? [],
  ].every((rows) => rows.length === 0);

/** Placeholders of the precondition: remembered state, and rows that must not exist. */
const QUESTION_WIDTH = 6;

/** An operation that must not have been done. */
interface Operation {
  readonly streamKey: string;
  readonly hash: string;
}

/**
 * Commits a batch decided on remembered state in one statement, which is its own transaction. It locks the streams
 * that are free, and writes if all of them are as remembered and no receipt of the batch exists. A receipt is always
 * written together with its stream, so none can have been added in between. Existence in the current hour is checked
 * by the insert itself, which fails on a duplicate and costs half of a prior lookup. The statement also fails, and
 * writes nothing, if the number of written rows differs.
 */
export class SingleStatementCommit {
  readonly #records: ReturnType<typeof recordWrite>;
  readonly #receipts: ReturnType<typeof newReceiptWrite>;
  readonly #streams: ReturnType<typeof streamWrite>;
  readonly #messages: ReturnType<typeof messageWrite>;
  /** Statement texts by the kinds of rows in a batch. */
  readonly #texts = new Map<string, string>();

  constructor(private readonly table: (name: string) => string) {
    this.#records = recordWrite(table);
    this.#receipts = newReceiptWrite(table);
    this.#streams = streamWrite(table);
    this.#messages = messageWrite(table);
  }

  #text(hasMessages: boolean, hasOperations: boolean): string {
    const key = `${hasMessages} ${hasOperations}`;
    const text = this.#texts.get(key) ?? this.#newText(hasMessages, hasOperations);
    this.#texts.set(key, text);
    return text;
  }

  #newText(hasMessages: boolean, hasOperations: boolean): string {
    const { table } = this;
    const writes = [this.#records, this.#receipts, this.#streams, ...(hasMessages ? [this.#messages] : [])];
    const parts = writes.map((write, index) => {
      const place = QUESTION_WIDTH + 1 + index;
      return {
        text: `written_${index} as (${write.text(place, 'where (select fits from question)')} returning 1)`,
        isWhole: `(select count(*) from written_${index}) = case when fits then cardinality($${place}) else 0 end`,
      };
    });
    const place = QUESTION_WIDTH + 1 + parts.length;
    const isUndone = `and not exists (
          select from unnest($${place}::bigint[], $${place + 1}::text[]) as v(stream_key, hash)
            join ${table('records')} c on c.stream_key = v.stream_key and c.op_hash = decode(v.hash, 'hex')
            where c.keep_day >= $${place + 2}::date and c.keep_until_ms > $${place + 3}::bigint)`;
    return `with held as materialized (
        select s.stream_key from unnest($1::bigint[], $2::xid[]) as v(stream_key, written_by)
          join ${table('streams')} s on s.stream_key = v.stream_key where s.xmin = v.written_by
          for no key update of s skip locked),
      question as materialized (
        select (select count(*) from held) = $3 and not exists (
          select from ${table('receipts')} r
            where r.scope = any($4::uuid[]) and r.slot = any($5::int[]) and r.at_ms >= $6)
        ${hasOperations ? isUndone : ''} as fits),
      ${parts.map(({ text }) => text).join(',\n')}
      select fits, ${TRANSACTION_NUMBER} as transaction_number,
        1 / (${parts.map(({ isWhole }) => isWhole).join(' and ')})::int as whole from question`;
  }

  async write(
    session: SqlSession,
    streams: readonly RememberedStream[],
    wanted: Wanted,
    changes: Changes,
  ): Promise<Fit> {
    const { scopes, sinceMs } = wanted.receipts;
    const states = changes.messages?.states ?? [];
    const operations = operationsOf(wanted, streams);
    const { nowMs } = wanted;
    try {
      const { rows } = await session.query(
        this.#text(states.length > 0, operations.length > 0),
        [
          binaryArray(KEY, streams, ({ stream }) => stream.streamKey),
          binaryArray(XID, streams, ({ writtenBy }) => writtenBy),
          streams.length,
          arrayOf(UUID, scopes),
          arrayOf(INT, slotsToLookIn(wanted, changes)),
          sinceMs,
          this.#records.array(changes.records),
          this.#receipts.array(changes.receipts),
          this.#streams.array(changes.streams),
          ...(states.length === 0 ? [] : [this.#messages.array(states)]),
          ...(operations.length === 0 ? [] : [...arraysOf(operations), keepDay(nowMs), nowMs]),
        ],
        { again: true },
      );
      const [row] = rows;
      return { fits: row?.['fits'] === true, transactionNumber: String(row?.['transaction_number']) };
    } catch (thrown) {
      if (thrown instanceof DatabaseRejected && thrown.reason === 'unique') return NOT_SO;
      throw thrown;
    }
  }
}

/**
 * Returns the operations that may have been executed before: their repeats take the ordinary path, which returns the
 * first result.
 */
function operationsOf({ messages }: Wanted, streams: readonly RememberedStream[]): readonly Operation[] {
  if (messages === undefined || messages.operations.length === 0) return [];
  const keys = new Map(streams.map(({ stream }) => [streamName(stream.address), stream.streamKey]));
  return messages.operations.flatMap(({ address, hash }) => {
    const streamKey = keys.get(streamName(address));
    return streamKey === undefined ? [] : [{ streamKey, hash }];
  });
}

const arraysOf = (operations: readonly Operation[]): readonly Buffer[] => [
  binaryArray(KEY, operations, ({ streamKey }) => streamKey),
  binaryArray(TEXT, operations, ({ hash }) => hash),
];

/** All but that in which every receipt that is wanted would be written. */
function slotsToLookIn(
  { nowMs, receipts: { scopes, sinceMs } }: Wanted,
  { receipts }: Changes,
): readonly number[] {
  const slots = slotsBetween(sinceMs, nowMs);
  const now = slotOf(nowMs);
  const written = receipts.filter(({ atMs }) => slotOf(atMs) === now).length;
  return written === scopes.length ? slots.filter((slot) => slot !== now) : slots;
}

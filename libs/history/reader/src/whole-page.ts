import type { PageQuery, Stream, StreamAddress } from '@carillon/history-store';
import { floorOf } from './continuity.js';
import { readCursor } from './cursor.js';
import type { Faults } from './fault-desk.js';
import type { Head } from './head.js';
import { unavailable } from './in-time.js';
import { type Fault, faultsOf, type PageRow } from './page-faults.js';
import { type HistoryQuery, pageBounds } from './query.js';

/** Read operations for pages of one stream kind. */
export interface Reading<Row> {
  readonly address: StreamAddress;
  readonly query: HistoryQuery;
  /** Rejects when the stream must not be read. */
  readonly head: () => Promise<Head>;
  readonly rows: (asked: PageQuery) => Promise<readonly Row[]>;
  readonly rowOf: (row: Row) => PageRow;
  /** Rows that cannot be shown. */
  readonly unreadable: (rows: readonly Row[]) => readonly Fault[];
}

/** A verified page. */
export interface WholePage<Row> {
  readonly head: Head;
  /** One row more than shown, which proves that more exist. */
  readonly rows: readonly Row[];
}

/** A page that other changes than faults come in between this often is not given. */
const MAX_READS = 4;

/**
 * Reads a page without gaps. Apparent faults are checked against the state of the stream after the read; if they
 * persist, the page is read again; if they persist again, the writer verifies them. Rejects with
 * `service_unavailable` unless the writer denies the faults. The page of a stream known to be degraded is returned as
 * it is: callers check the head.
 */
export async function readWhole<Row>(reading: Reading<Row>, desk: Faults): Promise<WholePage<Row>> {
  let head = await reading.head();
  let wrong = false;
  for (let read = 0; read < MAX_READS; read += 1) {
    const asked = askedOf(reading, head);
    if (asked === null) return { head, rows: [] };
    const { stream } = asked;
    const rows = await reading.rows(asked);
    const headSerial = stream.nextHistorySerial - 1;
    const faults = ({ retained: { oldest } }: Head): readonly Fault[] =>
      [
        ...reading.unreadable(rows),
        ...faultsOf(rows.map(reading.rowOf), asked, { headSerial, oldest }),
      ].filter((fault) => !desk.isExplained(stream, fault));
    if (head.seen.state.state !== 'healthy' || faults(head).length === 0) return { head, rows };
    const later = await reading.head();
    if (later.stream?.streamId === stream.streamId) {
      const found = faults(later);
      if (found.length === 0) return { head, rows };
      if (wrong) {
        await settle(stream, found, desk);
        // It is also refused if another process was faster.
        const now = await reading.head();
        const { state, reason } = now.seen.state;
        if (state !== 'healthy') throw unavailable(`the history is ${state}: ${reason ?? 'unknown'}`);
        if (now.stream?.streamId === stream.streamId) return { head, rows };
      }
      wrong = true;
    }
    head = later;
  }
  throw unavailable('the history changes faster than it can be read');
}

/** Null: there is no stream. */
function askedOf<Row>({ address, query }: Reading<Row>, { stream, retained, nowMs }: Head): PageQuery | null {
  const floor = floorOf(stream, retained);
  const { cursor, direction, bounds, limit } = query;
  const stream_id = stream?.streamId ?? null;
  const walk = { app_id: address.appId, channel: address.channel, direction, bounds, stream_id, floor };
  const after = cursor === null ? null : readCursor(cursor, walk);
  return stream === null ? null : { stream, nowMs, ...pageBounds(query, after, floor), limit: limit + 1 };
}

/** Resolves if the writer denies all faults. */
async function settle(stream: Stream, faults: readonly Fault[], desk: Faults): Promise<void> {
  for (const reason of new Set(faults.map((fault) => fault.reason))) {
    const ruling = desk.rulingOn(
      stream,
      reason,
      faults.filter((fault) => fault.reason === reason),
    );
    // An unreadable row cannot be shown, whatever the writer says.
    if (reason === 'history_row_unreadable') throw unavailable('a row of the history cannot be read');
    if ((await ruling) !== 'refused') throw unavailable(`the history is not whole: ${reason}`);
  }
}

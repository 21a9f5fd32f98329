import type { ScyllaSession } from '@carillon/scylla';
import type { AppChangePage } from '../../port.js';

/** A write that began this long before the table was read may still become visible with an earlier time. */
const OVERLAP_MS = 10_000;
const SCAN_PAGE_ROWS = 1000;

/** The progress of change polling: one scan of the table in token order. */
interface Mark {
  /** Apps written after this moment are reported, in milliseconds since 1970 by the clock of a server. */
  readonly sinceMs: number;
  /** When the scan began; the next scan reports from then on. */
  readonly begunMs: number;
  /** The last app of the page before; null at the beginning of a scan. */
  readonly afterId: string | null;
}

/** Reads the table once per scan: it has no order of time, and an index by time would be one hot partition. */
export async function changedSince(
  session: ScyllaSession,
  table: string,
  mark: string | null,
  limit: number,
): Promise<AppChangePage> {
  const nowMs = await serverNowMs(session);
  if (mark === null)
    return { appIds: [], mark: writeMark({ sinceMs: nowMs, begunMs: nowMs, afterId: null }) };
  const read = readMark(mark);
  const scan = read.afterId === null ? { ...read, begunMs: nowMs } : read;
  const appIds: string[] = [];
  for await (const row of session.readAll(selectChanged(table, scan), { fetchSize: SCAN_PAGE_ROWS })) {
    appIds.push(String(row['id']));
    if (appIds.length === limit)
      return { appIds, mark: writeMark({ ...scan, afterId: appIds.at(-1) ?? null }) };
  }
  return { appIds, mark: writeMark({ sinceMs: scan.begunMs, begunMs: scan.begunMs, afterId: null }) };
}

function selectChanged(table: string, { sinceMs, afterId }: Mark) {
  const after = afterId === null ? '' : ' AND token(id) > token(?)';
  return {
    query: `SELECT id FROM ${table} WHERE updated_at > ?${after} ALLOW FILTERING`,
    params: [new Date(sinceMs - OVERLAP_MS), ...(afterId === null ? [] : [afterId])],
  };
}

async function serverNowMs(session: ScyllaSession): Promise<number> {
  const query = 'SELECT toUnixTimestamp(now()) AS asked FROM system.local';
  const [row] = (await session.read({ query, params: [] })).rows;
  return Number(row?.['asked']);
}

const writeMark = ({ sinceMs, begunMs, afterId }: Mark): string =>
  JSON.stringify([sinceMs, begunMs, afterId]);

/** Throws for a text that `writeMark` did not write. */
function readMark(text: string): Mark {
  const [sinceMs, begunMs, afterId] = JSON.parse(text) as unknown[];
  const isId = afterId === null || typeof afterId === 'string';
  if (typeof sinceMs === 'number' && typeof begunMs === 'number' && isId)
    return { sinceMs, begunMs, afterId };
  throw new Error('not a mark of the scylladb driver');
}

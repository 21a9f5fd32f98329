import type { SqlSession } from '@carillon/database';
import type { Stream } from '../model/stream.js';
import type { DegradedQuery } from '../port.js';
import { STREAM_COLUMNS, streamOf } from './rows.js';
import type { Names } from './shown.js';

/**
 * Reads degraded message streams. State and kind are literals, since a partial index does not match placeholders;
 * `hint` names the index for a database that would not choose it.
 */
export async function readDegraded(
  session: SqlSession,
  table: Names,
  { after, limit }: DegradedQuery,
  hint = '',
): Promise<Stream[]> {
  const { rows } = await session.query(
    `select ${STREAM_COLUMNS} from ${table('streams')} s ${hint} where s.durable_state = 1 and s.kind = 1
        and s.stream_key > $1 order by s.stream_key limit $2`,
    [Number(after ?? 0), limit],
  );
  return rows.map(streamOf);
}

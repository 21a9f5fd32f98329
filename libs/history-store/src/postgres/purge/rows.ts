import type { SqlSession } from '@carillon/database';
import { keepDay } from '../../model/calendar.js';
import type { StreamKind } from '../../model/stream.js';
import type { Evicted, PurgeRequest } from '../../retention.js';

/** What one step works with. */
export interface PurgeScope {
  readonly session: SqlSession;
  readonly table: (name: string) => string;
  readonly request: PurgeRequest;
}

/** What one part of a step has done; null: there was nothing for it to do. */
export interface PartDone {
  readonly evicted: readonly Evicted[];
  readonly removed: number;
}

/** Where the rows of a kind of stream are, and under which names. */
export interface RowColumns {
  readonly table: 'records' | 'presence_events';
  readonly history: string;
  readonly delivery: string;
  readonly size: string;
  readonly at: string;
}

export const ROWS: Readonly<Record<StreamKind, RowColumns>> = {
  messages: {
    table: 'records',
    history: 'history_serial',
    delivery: 'delivery_serial',
    size: 'payload_size',
    at: 'published_at_ms',
  },
  presence: {
    table: 'presence_events',
    history: 'serial',
    delivery: 'serial',
    size: 'body_size',
    at: 'at_ms',
  },
};

export const today = ({ request }: PurgeScope): string => keepDay(request.nowMs);

/** The rows of streams that are locked here; locked in the order in which lanes do. */
export async function lockByKey(
  { session, table }: PurgeScope,
  keys: readonly string[],
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { rows } = await session.query(
    `select s.stream_key, s.app_id, s.kind, s.generation, s.floor_history_serial from ${table('streams')} s
      where s.stream_key = any($1::bigint[]) order by s.app_id, s.channel, s.kind for no key update`,
    [keys],
  );
  return rows;
}

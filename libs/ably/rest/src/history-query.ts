import { CompatError } from '@carillon/ably-core';
import type { HistoryQuery } from '@carillon/history-reader';
import type { Ask } from './exchange.js';
import { directionOf, limitOf } from './paging.js';

/**
 * Reads the query of a history.
 *
 * @throws CompatError 40000 or 40003 for an invalid one
 */
export function historyQuery(query: Ask['query'], maxPageSize: number): HistoryQuery {
  const limit = limitOf(query);
  const direction = directionOf(query['direction'] ?? 'backwards');
  if (query['untilAttach'] === 'true' && query['from_serial'] === undefined)
    throw new CompatError(40_000, 'untilAttach needs from_serial');
  const start = timeOf(query['start'], 'start');
  const end = timeOf(query['end'], 'end');
  if (start !== null && end !== null && start > end) throw new CompatError(40_000, 'start is after end');
  return {
    limit: Math.min(limit, maxPageSize),
    direction,
    cursor: query['cursor'] ?? null,
    bounds: { start_serial: null, end_serial: null, start_time_ms: start, end_time_ms: end },
  };
}

function timeOf(text: string | undefined, name: string): number | null {
  if (text === undefined) return null;
  if (!/^\d{1,15}$/.test(text)) throw new CompatError(40_000, `${name} must be a time in milliseconds`);
  return Number(text);
}

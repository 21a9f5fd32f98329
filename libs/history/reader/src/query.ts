import { ServiceError } from '@carillon/errors';

/** Requested part of a history; inclusive, null: no bound. */
export interface HistoryBounds {
  readonly start_serial: number | null;
  readonly end_serial: number | null;
  readonly start_time_ms: number | null;
  readonly end_time_ms: number | null;
}

export type HistoryDirection = 'newest_first' | 'oldest_first';

export interface HistoryQuery {
  readonly limit: number;
  readonly direction: HistoryDirection;
  /** Cursor from the client; null: the first page. */
  readonly cursor: string | null;
  readonly bounds: HistoryBounds;
}

/** Query parameters by name; the first of each. */
export type QueryParameters = Readonly<Record<string, string | undefined>>;

const DIRECTIONS: ReadonlyMap<string, HistoryDirection> = new Map([
  ['newest_first', 'newest_first'],
  ['backwards', 'newest_first'],
  ['reverse', 'newest_first'],
  ['oldest_first', 'oldest_first'],
  ['forwards', 'oldest_first'],
  ['forward', 'oldest_first'],
]);

/** Reads the query of a page. A limit above the largest page is lowered to it; anything unclear is `invalid_input`. */
export function readHistoryQuery(parameters: QueryParameters, maxPageSize: number): HistoryQuery {
  const limit = whole(parameters, 'limit') ?? maxPageSize;
  if (limit === 0) throw invalid('limit must be at least 1');
  const direction = DIRECTIONS.get((parameters['direction'] ?? 'newest_first').toLowerCase());
  if (direction === undefined) throw invalid('direction must be newest_first or oldest_first');
  const bounds: HistoryBounds = {
    start_serial: whole(parameters, 'start_serial'),
    end_serial: whole(parameters, 'end_serial'),
    start_time_ms: whole(parameters, 'start_time_ms', 'start'),
    end_time_ms: whole(parameters, 'end_time_ms', 'end'),
  };
  ordered('serial', bounds.start_serial, bounds.end_serial);
  ordered('time_ms', bounds.start_time_ms, bounds.end_time_ms);
  return { limit: Math.min(limit, maxPageSize), direction, cursor: parameters['cursor'] ?? null, bounds };
}

/** A number without a sign; null: neither the name nor its alias was sent. */
export function whole(parameters: QueryParameters, name: string, alias = name): number | null {
  const text = parameters[name] ?? parameters[alias];
  if (text === undefined) return null;
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(value)) throw invalid(`${name} must be a whole number`);
  return value;
}

function ordered(name: string, start: number | null, end: number | null): void {
  if (start !== null && end !== null && start > end)
    throw invalid(`start_${name} must not be above end_${name}`);
}

export const invalid = (text: string): ServiceError => new ServiceError('invalid_input', { text });

/**
 * Returns the range of the next page; `after` is the last serial of the previous page. Nothing is read below `floor`,
 * where all remaining rows have expired.
 */
export function pageBounds({ direction, bounds }: HistoryQuery, after: number | null, floor: number) {
  const newestFirst = direction === 'newest_first';
  const { start_serial: start, end_serial: end } = bounds;
  return {
    newestFirst,
    fromSerial: Math.max(floor, start ?? 0, after === null || newestFirst ? 0 : after + 1),
    toSerial: after === null || !newestFirst ? end : Math.min(end ?? after, after - 1),
    fromMs: bounds.start_time_ms,
    toMs: bounds.end_time_ms,
  };
}

import { type HistoryBounds, type HistoryDirection, invalid } from './query.js';

const MAX_CURSOR_BYTES = 16_384;
const VERSION = 1;

/** End of a page, and the query it belongs to. */
export interface HistoryCursor {
  readonly version: number;
  readonly app_id: string;
  readonly channel: string;
  readonly stream_id: string;
  readonly serial: number;
  readonly direction: HistoryDirection;
  readonly bounds: HistoryBounds;
}

export const encodeCursor = (cursor: Omit<HistoryCursor, 'version'>): string =>
  Buffer.from(JSON.stringify({ version: VERSION, ...cursor })).toString('base64url');

/** Query that a cursor must match. */
export type CursorContext = Omit<HistoryCursor, 'version' | 'serial' | 'stream_id'> & {
  /** Null: the stream does not exist (any longer). */
  readonly stream_id: string | null;
  /** The lowest history serial that is retained. */
  readonly floor: number;
};

/** The serial behind which the next page begins. A cursor that is not of this very walk is `invalid_input`. */
export function readCursor(text: string, context: CursorContext): number {
  if (Buffer.byteLength(text) > MAX_CURSOR_BYTES) throw invalid('cursor exceeds 16 KiB');
  const cursor = parse(text);
  if (cursor === null) throw invalid('invalid cursor');
  if (cursor.version !== VERSION) throw invalid('unsupported cursor version');
  const { app_id: appId, channel, direction, bounds, serial } = cursor;
  const same =
    appId === context.app_id &&
    channel === context.channel &&
    direction === context.direction &&
    BOUNDS.every((name) => bounds[name] === context.bounds[name]);
  if (!same) throw invalid('cursor mismatch: it belongs to another query');
  if (cursor.stream_id !== context.stream_id) throw invalid('cursor expired: the stream changed');
  if ((direction === 'newest_first' ? serial : serial + 1) < context.floor)
    throw invalid('cursor expired: it is before the retained history');
  return serial;
}

const BOUNDS = ['start_serial', 'end_serial', 'start_time_ms', 'end_time_ms'] as const;

function parse(text: string): HistoryCursor | null {
  if (!/^[\w-]+$/.test(text)) return null;
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return isCursor(value) ? value : null;
  } catch {
    return null;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function isCursor(value: unknown): value is HistoryCursor {
  if (!isObject(value)) return false;
  const { bounds } = value;
  return (
    ['app_id', 'channel', 'stream_id', 'direction'].every((name) => typeof value[name] === 'string') &&
    Number.isSafeInteger(value['version']) &&
    Number.isSafeInteger(value['serial']) &&
    isObject(bounds) &&
    BOUNDS.every((name) => bounds[name] === null || Number.isSafeInteger(bounds[name]))
  );
}

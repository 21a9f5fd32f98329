import type { Retained, Stream } from '@carillon/history-store';
import type { HistoryBounds } from './query.js';

/** The lowest history serial that is retained, or the next one when none is. */
export const floorOf = (stream: Stream | null, { oldest }: Retained): number =>
  oldest?.serial ?? stream?.nextHistorySerial ?? 1;

/** Whether some requested rows existed and were removed. */
export function truncatedByRetention(bounds: HistoryBounds, floor: number, { oldest }: Retained): boolean {
  if (floor === 1) return false;
  const { start_serial: serial, start_time_ms: timeMs } = bounds;
  if (serial === null && timeMs === null) return true;
  if (serial !== null && serial < floor) return true;
  return timeMs !== null && (oldest === null || timeMs < oldest.publishedAtMs);
}

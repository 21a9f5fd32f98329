import { FOREVER_MS, keepDay } from '../model/calendar.js';
import { countFloor } from '../model/floor.js';
import type { Stream } from '../model/stream.js';

/** Whether rows of the stream are over its caps. */
export const isOverCaps = (stream: Stream): boolean =>
  countFloor(stream) > stream.floorHistorySerial ||
  (stream.maxBytes !== null && stream.retainedBytes > stream.maxBytes);

const DAY_MS = 86_400_000;

/** Versions are removed with their day, so that the data of a message does not need one that is gone. */
export const removedAfterMs = ({
  keepUntilMs,
  messageSerial,
}: {
  readonly keepUntilMs: number;
  readonly messageSerial: string | null;
}): number => {
  if (messageSerial === null || keepUntilMs >= FOREVER_MS) return keepUntilMs;
  return Math.min(FOREVER_MS, Date.parse(`${keepDay(keepUntilMs)}T00:00:00Z`) + DAY_MS);
};

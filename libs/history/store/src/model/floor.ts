import type { Stream } from './stream.js';

/** The lowest history serial that purges and the count cap leave visible. The byte cap is the store's to add. */
export const countFloor = ({ floorHistorySerial, maxMessages, nextHistorySerial }: Stream): number =>
  maxMessages === null ? floorHistorySerial : Math.max(floorHistorySerial, nextHistorySerial - maxMessages);

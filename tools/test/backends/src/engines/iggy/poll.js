/** @import { Message } from './store.js' */

/**
 * The messages that a polling strategy selects.
 * @param {readonly Message[]} messages
 * @param {{ kind: string, value: number, count: number, stored: number | null }} strategy
 * @returns {readonly Message[]}
 */
export function polled(messages, { kind, value, count, stored }) {
  /** @param {number} start */
  const from = (start) => messages.slice(start, start + count);
  switch (kind) {
    case 'offset':
      return from(value);
    case 'timestamp':
      return messages.filter(({ timestamp }) => timestamp >= value).slice(0, count);
    case 'first':
      return from(0);
    case 'last':
      return from(Math.max(0, messages.length - count));
    case 'next':
      return from(stored === null ? 0 : stored + 1);
    default:
      return [];
  }
}

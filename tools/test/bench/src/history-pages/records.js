// Every record says which one it is, so that a page that shows another one, or half of one, is found out.
import { randomUUID } from 'node:crypto';
import { APP_ID } from '../history/records.js';

export const CHANNEL = 'orders-0';
const DAY_MS = 86_400_000;

/** The address of the stream that is paged through. @type {import('@carillon/history-store').StreamAddress} */
export const ADDRESS = { appId: APP_ID, channel: CHANNEL, kind: 'messages' };

/** @param {number} maxMessages @returns {import('@carillon/contracts').CommitRecordOf<'publish'>['policy']} */
const policyOf = (maxMessages) => ({
  history_ms: DAY_MS,
  versions_ms: null,
  max_messages: maxMessages,
  max_bytes: null,
  versioned: false,
  cache: false,
  ai: null,
});

/** What a record that was there before the walk says; the statement of `fill` writes the same. @param {number} serial */
export const filledData = (serial, /** @type {number} */ payloadBytes) =>
  `filled ${serial} `.padEnd(payloadBytes, 'x');

/** @param {number} number @param {number} payloadBytes */
export const writtenData = (number, payloadBytes) => `written ${number} `.padEnd(payloadBytes, 'x');

/**
 * @param {string} data @param {number} maxMessages
 * @returns {import('@carillon/contracts').CommitRecordOf<'publish'>}
 */
export function publishOf(data, maxMessages) {
  const messageId = randomUUID();
  return {
    op: 'publish',
    pub_id: randomUUID(),
    app_id: APP_ID,
    channel: CHANNEL,
    message_id: messageId,
    message: JSON.stringify({ event: 'bench', channel: CHANNEL, data, message_id: messageId }),
    policy: policyOf(maxMessages),
  };
}

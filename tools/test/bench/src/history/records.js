import { randomUUID } from 'node:crypto';

export const APP_ID = 'bench';
const DAY_MS = 86_400_000;

/** @type {import('@carillon/contracts').CommitRecordOf<'publish'>['policy']} */
const POLICY = {
  history_ms: DAY_MS,
  versions_ms: null,
  max_messages: null,
  max_bytes: null,
  versioned: false,
  cache: false,
  ai: null,
};

/**
 * One publish as an api node sends it, about so large.
 * @param {string} channel @param {number} payloadBytes
 * @returns {import('@carillon/contracts').CommitRecordOf<'publish'>}
 */
export function publishOf(channel, payloadBytes) {
  const messageId = randomUUID();
  return {
    op: 'publish',
    pub_id: randomUUID(),
    app_id: APP_ID,
    channel,
    message_id: messageId,
    message: messageOf(channel, messageId, payloadBytes),
    policy: POLICY,
  };
}

/** @param {string} channel @param {string} messageId @param {number} payloadBytes */
export const messageOf = (channel, messageId, payloadBytes) =>
  JSON.stringify({ event: 'bench', channel, data: 'x'.repeat(payloadBytes), message_id: messageId });

/** @param {number} count */
export const channelsOf = (count) => Array.from({ length: count }, (_, index) => `orders-${index}`);

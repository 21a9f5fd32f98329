import { digestOfLong } from './bounded.js';
import type { BrokerNames } from './broker-names.js';

/**
 * Channels on Redis, single or cluster. The prefix is used as written. A part that is too long is its digest behind
 * `# `, which begins no name of a channel.
 */
export function redisNames(prefix: string): BrokerNames {
  const named = (name: string) => `${prefix}#${name}`;
  return {
    broadcast: named('broadcast'),
    requests: named('requests'),
    responses: named('responses'),
    control: named('control'),
    writers: named('writers'),
    node: (nodeId) => named(`node:${part(nodeId)}`),
    reply: (id) => named(`reply:${part(id)}`),
    channel: (appId, channel) => named(`ch:${part(appId)}:${part(channel)}`),
    allChannels: (appId) => `${literal(named(`ch:${part(appId)}:`))}*`,
    commit: (lane) => named(`commit:${lane}`),
    read: (lane) => named(`read:${lane}`),
  };
}

function part(text: string): string {
  const digest = digestOfLong(text);
  return digest === null ? text : `# ${digest}`;
}

/** A text that a glob pattern takes as it is. */
const literal = (text: string) => text.replace(/[*?[\]\\]/g, '\\$&');

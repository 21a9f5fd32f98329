import type { FabricNames } from './fabric-names.js';

/** Channels on Redis, single or cluster. The prefix is used as written. */
export function redisNames(prefix: string): FabricNames {
  const named = (name: string) => `${prefix}#${name}`;
  return {
    broadcast: named('broadcast'),
    requests: named('requests'),
    responses: named('responses'),
    control: named('control'),
    writers: named('writers'),
    node: (nodeId) => named(`node:${nodeId}`),
    reply: (id) => named(`reply:${id}`),
    channel: (appId, channel) => named(`ch:${appId}:${channel}`),
    allChannels: (appId) => `${literal(named(`ch:${appId}:`))}*`,
    commit: (lane) => named(`commit:${lane}`),
    read: (lane) => named(`read:${lane}`),
  };
}

/** A text that a glob pattern takes as it is. */
const literal = (text: string) => text.replace(/[*?[\]\\]/g, '\\$&');

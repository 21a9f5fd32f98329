import { digestOfLong } from './bounded.js';
import type { BrokerNames } from './broker-names.js';

/** Limit of cached names; evicted ones are computed again, which costs as much as encoding the message. */
const MAX_CHANNELS = 10_000;

/**
 * Subjects on NATS. The prefix loses trailing `:` and `.`; app ids and channels go in base64url, since a subject
 * takes neither dots nor wildcards of theirs. A name that is too long is its digest behind a `~`, which no encoded one has.
 */
export function natsNames(prefix: string): BrokerNames {
  const root = trimmed(prefix);
  const named = (name: string) => `${root}.${name}`;
  const channels = new Map<string, string>();
  return {
    broadcast: named('broadcast'),
    requests: named('requests'),
    responses: named('responses'),
    control: named('control'),
    writers: named('writers'),
    node: (nodeId) => named(`node.${tokens(nodeId)}`),
    reply: (id) => `_INBOX.${root}.${tokens(id)}`,
    channel: (appId, channel) => {
      const name = `${appId}\0${channel}`;
      const known = channels.get(name);
      if (known !== undefined) return known;
      if (channels.size >= MAX_CHANNELS) channels.clear();
      const subject = named(`ch.${token(appId)}.${token(channel)}`);
      channels.set(name, subject);
      return subject;
    },
    allChannels: (appId) => named(`ch.${token(appId)}.*`),
    commit: (lane) => named(`commit.${lane}`),
    read: (lane) => named(`read.${lane}`),
  };
}

function trimmed(prefix: string): string {
  let end = prefix.length;
  while (end > 0 && (prefix[end - 1] === ':' || prefix[end - 1] === '.')) end--;
  return prefix.slice(0, end);
}

/** A subject takes no empty token. */
const tokens = (id: string) => longAsDigest(id) ?? id.replace(/^\.|\.(?=\.|$)/g, '_');

const token = (text: string) => longAsDigest(text) ?? Buffer.from(text, 'utf8').toString('base64url');

function longAsDigest(text: string): string | null {
  const digest = digestOfLong(text);
  return digest === null ? null : `~${digest}`;
}

import type { PublishableChannel } from './channel.js';
import { checkPlainName } from './ordinary-name.js';
import type { ChannelRefusal } from './refusal.js';
import type { ChannelRules } from './rules.js';

/**
 * Whether the HTTP API may publish to or read the name. Patterns and meta names never pass, because of their
 * characters. Restrictions of a namespace apply to clients, not to the app's own servers.
 */
export function checkPublishTarget(rules: ChannelRules, name: string): PublishableChannel | ChannelRefusal {
  return checkPlainName(rules, name, { emptyBaseAllowed: true });
}

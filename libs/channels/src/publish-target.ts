import type { PublishableChannel } from './channel.js';
import { checkPlainName } from './ordinary-name.js';
import type { ChannelRefusal } from './refusal.js';
import type { ChannelRules } from './rules.js';

/**
 * Whether the HTTP side may publish to the name or read it. Patterns and meta names never pass: their characters are
 * not those of a channel. What a namespace forbids its clients does not concern the customer's own server.
 */
export function checkPublishTarget(rules: ChannelRules, name: string): PublishableChannel | ChannelRefusal {
  return checkPlainName(rules, name, { emptyBaseAllowed: true });
}

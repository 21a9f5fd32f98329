import type { ChannelNamespace } from '@carillon/config';
import { CHANNEL_KINDS, kindOf, logicalName } from './channel-kind.js';
import type { OrdinaryChannel, PublishableChannel, ServerToUserChannel } from './channel.js';
import { hasNameCharacters, isPrintable } from './characters.js';
import { baseOf, findNamespace } from './namespace.js';
import { refuse, type ChannelRefusal, type RefusalReason } from './refusal.js';
import type { ChannelRules } from './rules.js';
import { serverToUserId } from './server-to-user.js';
import { usersOf } from './user-limit.js';

/** Allowances of publish targets that subscriptions do not have. */
export interface NameLeniency {
  /** `#…` without anything before it is an ordinary name without a user list. */
  readonly emptyBaseAllowed: boolean;
}

/** Checks a name that is neither a pattern nor a meta name. */
export function checkPlainName(
  rules: ChannelRules,
  name: string,
  leniency: NameLeniency,
): PublishableChannel | ChannelRefusal {
  if (name === '') return refuse('empty');
  const userId = serverToUserId(name);
  return userId === null
    ? checkOrdinaryName(rules, name, leniency)
    : checkServerToUserName(rules, name, userId);
}

/** User ids are free text, so after the prefix everything printable goes and `:` and `#` mean nothing. */
function checkServerToUserName(
  rules: ChannelRules,
  name: string,
  userId: string,
): ServerToUserChannel | ChannelRefusal {
  const policy = rules.policyOf(null);
  if (Buffer.byteLength(name) > policy.maxNameBytes) return refuse('too_long');
  if (!isPrintable(userId)) return refuse('characters');
  return Object.freeze({
    accepted: true,
    form: 'server_to_user',
    name,
    kind: 'public',
    namespace: null,
    policy,
    userId,
  });
}

/** Checks a name that must be a channel of one of the kinds. */
export function checkOrdinaryName(
  rules: ChannelRules,
  name: string,
  leniency: NameLeniency,
): OrdinaryChannel | ChannelRefusal {
  if (!hasNameCharacters(name)) return refuse('characters');
  const found = findNamespace(rules.namespaces, name);
  // In an app without namespaces `:` is an ordinary character.
  if (found === 'rejected' && rules.namespaces.size > 0) return refuse('namespace_unknown');
  const namespace = typeof found === 'string' ? null : found;
  const policy = rules.policyOf(namespace);
  // All characters are ASCII here, so the length is the number of bytes.
  if (name.length > policy.maxNameBytes) return refuse('too_long');
  const users = userLimit(name, policy.allowUserLimitedChannels, leniency);
  if (typeof users === 'string') return refuse(users);
  if (!fitsPattern(namespace, name)) return refuse('pattern_mismatch');
  const kind = kindOf(name);
  const traits = CHANNEL_KINDS[kind];
  return Object.freeze({
    accepted: true,
    form: 'ordinary',
    name,
    kind,
    traits,
    namespace,
    policy,
    users,
  });
}

function userLimit(
  name: string,
  allowed: boolean,
  { emptyBaseAllowed }: NameLeniency,
): ReadonlySet<string> | null | RefusalReason {
  const logical = logicalName(name);
  if (emptyBaseAllowed && logical.startsWith('#')) return null;
  const users = usersOf(logical);
  if (users === 'none') return null;
  if (users === 'malformed') return 'user_limit_malformed';
  return allowed ? users : 'user_limit_not_allowed';
}

function fitsPattern(namespace: ChannelNamespace | null, name: string): boolean {
  const pattern = namespace?.channel_name_pattern ?? null;
  return pattern === null || pattern.matches(baseOf(name));
}

import type { ChannelPattern, MetaChannel, SubscribableChannel } from './channel.js';
import { metaBase } from './meta.js';
import { namespaceName } from './namespace.js';
import { checkOrdinaryName, checkPlainName } from './ordinary-name.js';
import { refuse, type ChannelRefusal } from './refusal.js';
import type { ChannelRules } from './rules.js';
import { serverToUserId } from './server-to-user.js';
import { isWildcard, parseWildcard } from './wildcard.js';

const STRICT = { emptyBaseAllowed: false };

/** Checks the name of a subscription as far as it does not depend on the protocol of the connection. */
export function checkSubscriptionName(
  rules: ChannelRules,
  name: string,
): SubscribableChannel | ChannelRefusal {
  if (serverToUserId(name) !== null) return checkPlainName(rules, name, STRICT);
  const base = metaBase(name);
  if (base !== null) return checkMetaName(rules, name, base);
  return isWildcard(name) ? checkWildcardName(rules, name) : checkPlainName(rules, name, STRICT);
}

/** Reason why a name valid on V2 is refused on V1; null if it is accepted. */
export function refusalOnV1(name: string): ChannelRefusal | null {
  if (serverToUserId(name) !== null) return null;
  if (metaBase(name) !== null) return refuse('meta_needs_v2');
  return isWildcard(name) ? refuse('wildcard_needs_v2') : null;
}

/** A refused base keeps its own reason. Meta channels of user channels are refused: they would reveal who is online. */
function checkMetaName(rules: ChannelRules, name: string, baseName: string): MetaChannel | ChannelRefusal {
  if (baseName === '' || metaBase(baseName) !== null || serverToUserId(baseName) !== null) {
    return refuse('meta_malformed');
  }
  const base = checkOrdinaryName(rules, baseName, STRICT);
  if (!base.accepted) return base;
  const { namespace, policy } = base;
  return Object.freeze({ accepted: true, form: 'meta', name, kind: 'public', namespace, policy, base });
}

/**
 * A pattern belongs to the namespace of all its channels, which the text before the `*` determines if it has a `:`;
 * with an unknown one it could never match. Its own length counts; the name pattern applies to complete names.
 */
function checkWildcardName(rules: ChannelRules, name: string): ChannelPattern | ChannelRefusal {
  const wildcard = parseWildcard(name);
  if (wildcard === null) return refuse('wildcard_malformed');
  const wanted = namespaceName(wildcard.before);
  const isFree = wanted === null || rules.namespaces.size === 0;
  const namespace = isFree ? null : rules.namespaces.get(wanted);
  if (namespace === undefined) return refuse('namespace_unknown');
  const policy = rules.policyOf(namespace);
  if (name.length > policy.maxNameBytes) return refuse('too_long');
  return Object.freeze({
    accepted: true,
    form: 'pattern',
    name,
    kind: 'public',
    namespace,
    policy,
    wildcard,
  });
}

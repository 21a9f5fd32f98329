import type { App } from '@carillon/app-registry';
import { CHANNEL_KINDS, kindOf } from './channel-kind.js';
import type { OrdinaryChannel, PublishableChannel, SubscribableChannel } from './channel.js';
import type { GlobalChannelSettings, RecoveryPolicy } from './policy.js';
import { checkPublishTarget } from './publish-target.js';
import { Recent } from './recent.js';
import type { ChannelRefusal } from './refusal.js';
import { ChannelRules } from './rules.js';
import { checkSubscriptionName, refusalOnV1 } from './subscription-name.js';

/** Names of one app that are kept, for each of the two uses. */
const KEPT_NAMES = 4096;

/** Longer names, possible only for apps without a limit, are not cached, to bound memory. */
const LONGEST_KEPT_NAME = 1000;

interface Known {
  readonly rules: ChannelRules;
  readonly subscriptions: Recent<SubscribableChannel>;
  readonly targets: Recent<PublishableChannel>;
}

/**
 * Validates channel names for every app. Pure except for caching. Caches belong to the `App` object, so a changed app
 * starts with empty ones. Refusals are not cached: invalid names must not evict valid ones.
 */
export class Channels {
  readonly #known = new WeakMap<App, Known>();

  constructor(private readonly globals: GlobalChannelSettings) {}

  /**
   * Returns the subscription target of a client of this protocol, or the refusal by name (4300). Permissions,
   * signature, capabilities and users are checked later, in this order: `subscribeRefusal`, …, `userLimitRefusal`.
   */
  subscription(app: App, name: string, protocol: 1 | 2): SubscribableChannel | ChannelRefusal {
    const { rules, subscriptions } = this.#of(app);
    let channel: SubscribableChannel | ChannelRefusal | undefined = subscriptions.get(name);
    if (channel === undefined) {
      channel = checkSubscriptionName(rules, name);
      if (channel.accepted && name.length <= LONGEST_KEPT_NAME) subscriptions.put(name, channel);
    }
    return protocol === 1 ? onV1(channel, name) : channel;
  }

  /** Returns the target of an HTTP publish or read, or the reason why the name is invalid (`invalid_input`). */
  publishTarget(app: App, name: string): PublishableChannel | ChannelRefusal {
    const { rules, targets } = this.#of(app);
    const kept = targets.get(name);
    if (kept !== undefined) return kept;
    const channel = checkPublishTarget(rules, name);
    if (channel.accepted && name.length <= LONGEST_KEPT_NAME) targets.put(name, channel);
    return channel;
  }

  /**
   * Returns the channel of a name with foreign rules, such as those of other services: that of the name if it is
   * valid here, else one outside every namespace. Callers have checked length and characters; a name that begins with
   * `#` stands for users and must never be passed.
   */
  foreign(app: App, name: string): OrdinaryChannel {
    const known = this.subscription(app, name, 2);
    if (known.accepted && known.form === 'ordinary') return known;
    const kind = kindOf(name);
    return {
      accepted: true,
      form: 'ordinary',
      name,
      kind,
      traits: CHANNEL_KINDS[kind],
      namespace: null,
      policy: this.#of(app).rules.policyOf(null),
      users: null,
    };
  }

  /** Recovery policy of the app, equal for all its channels. */
  recovery(app: App): RecoveryPolicy {
    return this.#of(app).rules.policyOf(null).recovery;
  }

  #of(app: App): Known {
    let known = this.#known.get(app);
    if (known === undefined) {
      known = {
        rules: new ChannelRules(app, this.globals),
        subscriptions: new Recent(KEPT_NAMES),
        targets: new Recent(KEPT_NAMES),
      };
      this.#known.set(app, known);
    }
    return known;
  }
}

/** Patterns and meta names do not exist on V1, valid or not, so that reason comes first. */
function onV1(
  channel: SubscribableChannel | ChannelRefusal,
  name: string,
): SubscribableChannel | ChannelRefusal {
  if (channel.accepted && (channel.form === 'ordinary' || channel.form === 'server_to_user')) return channel;
  return refusalOnV1(name) ?? channel;
}

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

/** Longer names, which only an app without a limit has, are judged anew each time: kept ones stay small. */
const LONGEST_KEPT_NAME = 1000;

interface Known {
  readonly rules: ChannelRules;
  readonly subscriptions: Recent<SubscribableChannel>;
  readonly targets: Recent<PublishableChannel>;
}

/**
 * Judges channel names for every app. Pure apart from remembering: the same app and name always give an equal answer.
 * What is remembered goes with the `App` object, so a changed app starts afresh. Refusals are not remembered: names
 * that are not valid must not displace those that are.
 */
export class Channels {
  readonly #known = new WeakMap<App, Known>();

  constructor(private readonly globals: GlobalChannelSettings) {}

  /**
   * What a client of this protocol subscribes to, or why it cannot by name alone (4300). Permissions, signature,
   * capabilities and users come later, in this order: `subscribeRefusal`, …, `userLimitRefusal`.
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

  /** What the HTTP side publishes to or reads, or why the name is not valid (`invalid_input`). */
  publishTarget(app: App, name: string): PublishableChannel | ChannelRefusal {
    const { rules, targets } = this.#of(app);
    const kept = targets.get(name);
    if (kept !== undefined) return kept;
    const channel = checkPublishTarget(rules, name);
    if (channel.accepted && name.length <= LONGEST_KEPT_NAME) targets.put(name, channel);
    return channel;
  }

  /**
   * The channel of a name that follows other rules than those of this room, as those of other services do: that of the
   * name where it is one here, else one outside every namespace. Whoever asks has seen to its length and characters;
   * a name that begins with `#` stands for users and must never come here.
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

  /** Whether clients of the app may go on where they were, the same in all its channels. */
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

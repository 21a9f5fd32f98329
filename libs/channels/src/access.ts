import type { ChannelPattern, OrdinaryChannel, PublishableChannel, SubscribableChannel } from './channel.js';
import { refuse, type ChannelRefusal } from './refusal.js';
import { wildcardFits } from './wildcard.js';

/** Why the namespace keeps every client from subscribing; null when it does not. A meta channel follows its base. */
export function subscribeRefusal(channel: SubscribableChannel): ChannelRefusal | null {
  const { policy } = channel;
  if (!policy.allowSubscribeForClient) return refuse('subscribe_not_allowed');
  const subject = channel.form === 'meta' ? channel.base : channel;
  const members = subject.form === 'ordinary' && subject.traits.members;
  return members && !policy.allowPresenceForClient ? refuse('presence_not_allowed') : null;
}

/** Why the namespace keeps every client from publishing; null when it does not. */
export function clientPublishRefusal({ policy }: SubscribableChannel): ChannelRefusal | null {
  return policy.allowPublishForClient ? null : refuse('publish_not_allowed');
}

/** Whether the channel supports client events. */
export function takesClientEvents(channel: SubscribableChannel): channel is OrdinaryChannel {
  return channel.form === 'ordinary' && channel.traits.clientEvents;
}

/**
 * Why a user-limited channel does not admit this user; null when it does, and for every other channel. A connection
 * without an identity is null and on no list. A meta channel follows its base.
 */
export function userLimitRefusal(channel: SubscribableChannel, userId: string | null): ChannelRefusal | null {
  const subject = channel.form === 'meta' ? channel.base : channel;
  if (subject.form !== 'ordinary' || subject.users === null) return null;
  return userId !== null && subject.users.has(userId) ? null : refuse('user_not_listed');
}

/**
 * Whether messages of the channel reach subscribers of the pattern: only those to whose channel any client could
 * subscribe unsigned by name: no signature, no `#`, and a namespace that allows subscriptions.
 */
export function patternCovers({ wildcard }: ChannelPattern, channel: PublishableChannel): boolean {
  return coverable(channel) && wildcardFits(wildcard, channel.name);
}

function coverable(channel: PublishableChannel): channel is OrdinaryChannel {
  return (
    channel.form === 'ordinary' &&
    !channel.traits.signed &&
    !channel.name.includes('#') &&
    channel.policy.allowSubscribeForClient
  );
}

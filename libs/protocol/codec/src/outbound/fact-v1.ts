import { isClientEvent } from '../event-names.js';
import type { Fact } from '../message/fact.js';
import type { Message } from '../message/message.js';
import {
  connectionEstablished,
  errorFrame,
  PING,
  PONG,
  signinSuccess,
  TOKEN_REVOKED,
  watchlistEvents,
} from './connection.js';
import { encodeV1 } from './encode-v1.js';
import type { OutboundFrame } from './frame.js';
import { memberAdded, memberRemoved } from './presence.js';
import {
  cacheMiss,
  presenceSubscriptionSucceeded,
  subscriptionCount,
  subscriptionError,
  subscriptionSucceeded,
} from './subscription.js';

/** Returns the protocol 1 frame of a fact; null: none. */
export function encodeFactV1(fact: Fact): string | null {
  if (fact.kind === 'message') return messageText(fact);
  const frame = frameOf(fact);
  return frame === null ? null : encodeV1(frame);
}

/**
 * Encodes a message from its event, channel and data alone; null for changes of mutable messages. `user_id` is that
 * of the member who sent a client event. Must not depend on members of protocol 2.
 */
function messageText({ action, channel, dataText, event, userId }: Message): string | null {
  if (action !== 'create' && action !== 'plain') return null;
  const isOfMember = hasMembers(channel) && isClientEvent(event);
  return encodeV1({ event, channel, dataText, userId: isOfMember ? userId : null });
}

function frameOf(fact: Exclude<Fact, Message>): OutboundFrame | null {
  switch (fact.kind) {
    // Elsewhere members are those of clients of other protocols.
    case 'member_added':
      return hasMembers(fact.channel) ? memberAdded(fact.channel, fact.member) : null;
    case 'member_removed':
      return hasMembers(fact.channel) ? memberRemoved(fact.channel, fact.userId) : null;
    case 'acknowledged':
    case 'annotated':
    case 'annotations_summarized':
    case 'member_updated':
    case 'channel_occupied':
    case 'channel_vacated':
    case 'delta_bases':
    case 'delta_settled':
    case 'history_page':
    case 'resume_failed':
    case 'resumed':
    case 'rewound':
    case 'token_expired':
    case 'token_taken':
      return null;
    case 'channel_counted':
      return subscriptionCount(fact.channel, fact.count);
    case 'user_seen':
      return watchlistEvents(
        fact.isOnline ? { online: [fact.userId], offline: [] } : { online: [], offline: [fact.userId] },
      );
    case 'subscribed':
      return fact.members === null
        ? subscriptionSucceeded(fact.channel)
        : presenceSubscriptionSucceeded(fact.channel, fact.members);
    case 'cache_missed':
      return cacheMiss(fact.channel);
    case 'watch_begun':
      return watchlistEvents(fact);
    case 'established':
      return connectionEstablished(fact);
    case 'signed_in':
      return signinSuccess(fact.userData);
    case 'ping':
      return PING;
    case 'pong':
      return PONG;
    case 'subscription_failed':
      return subscriptionError(fact.channel, fact, fact.status, fact.reason);
    case 'token_revoked':
      return TOKEN_REVOKED;
    case 'failed':
    default:
      return errorFrame(fact);
  }
}

const hasMembers = (channel: string): boolean => channel.startsWith('presence-');

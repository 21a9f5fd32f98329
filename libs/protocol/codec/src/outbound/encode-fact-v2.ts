import type { Fact } from '../message/fact.js';
import type { Message } from '../message/message.js';
import type { FrameV2 } from '../v2/frame.js';
import { annotationFrameV2 } from './annotation-v2.js';
import { deltaCacheSync, presenceUpdated, rewindComplete, subscriptionSucceededV2 } from './channel-v2.js';
import {
  connectionEstablished,
  errorFrame,
  PING,
  PONG,
  signinSuccess,
  TOKEN_REVOKED,
  watchlistEvents,
} from './connection.js';
import { acknowledgement, authSuccess, deltaEnabled, TOKEN_EXPIRED } from './connection-v2.js';
import { memberAdded, memberRemoved } from './presence.js';
import { resumeFailed, resumeSuccess } from './recovery.js';
import { cacheMiss, subscriptionCount, subscriptionError } from './subscription.js';

/**
 * Returns the protocol 2 frame of a fact, independent of the wire format; null: none. Frames for a single connection
 * carry a new id, made by `newId`; heartbeats and channel frames carry none.
 */
export function frameOfFactV2(fact: Fact, newId: () => string): FrameV2 | null {
  switch (fact.kind) {
    case 'message':
      return messageFrame(fact);
    case 'annotated':
    case 'annotations_summarized':
      return annotationFrameV2(fact);
    case 'member_added':
      return memberAdded(fact.channel, fact.member);
    case 'member_removed':
      return memberRemoved(fact.channel, fact.userId);
    case 'member_updated':
      return presenceUpdated(fact.channel, fact.member);
    // Only sent on meta channels.
    case 'channel_occupied':
    case 'channel_vacated':
      return null;
    case 'channel_counted':
      return subscriptionCount(fact.channel, fact.count);
    case 'user_seen':
      return watchlistEvents(
        fact.isOnline ? { online: [fact.userId], offline: [] } : { online: [], offline: [fact.userId] },
      );
    case 'ping':
      return PING;
    case 'pong':
      return PONG;
    case 'acknowledged':
    case 'cache_missed':
    case 'delta_bases':
    case 'delta_settled':
    case 'established':
    case 'failed':
    case 'history_page':
    case 'resumed':
    case 'resume_failed':
    case 'rewound':
    case 'signed_in':
    case 'subscribed':
    case 'subscription_failed':
    case 'token_expired':
    case 'token_revoked':
    case 'token_taken':
    case 'watch_begun':
    default:
      return reply(fact, newId);
  }
}

const messageFrame = ({ channel, event, name, dataText, userId, messageId, ...rest }: Message): FrameV2 => ({
  event,
  channel,
  name,
  dataText,
  ...(rest.isBytes === true && dataText !== null
    ? { dataBytes: Uint8Array.from(JSON.parse(dataText) as number[]) }
    : {}),
  userId,
  messageId,
  tagsText: rest.tagsText,
  streamId: rest.streamId,
  serial: rest.serial,
  extrasText: rest.extrasText,
});

function reply(fact: Reply, newId: () => string): FrameV2 | null {
  const frame = replyFrame(fact);
  return frame === null ? null : { ...frame, messageId: newId() };
}

type Reply = Exclude<
  Fact,
  {
    readonly kind:
      | 'annotated'
      | 'annotations_summarized'
      | 'channel_counted'
      | 'channel_occupied'
      | 'channel_vacated'
      | 'member_added'
      | 'member_removed'
      | 'member_updated'
      | 'message'
      | 'ping'
      | 'pong'
      | 'user_seen';
  }
>;

const NO_POSITION = { attachSerial: null, position: null } as const;

function replyFrame(fact: Reply): FrameV2 | null {
  switch (fact.kind) {
    case 'subscribed':
      return subscriptionSucceededV2(fact.channel, fact.attach ?? NO_POSITION, fact.members);
    case 'acknowledged':
      return acknowledgement(fact);
    case 'cache_missed':
      return cacheMiss(fact.channel);
    case 'watch_begun':
      return watchlistEvents(fact);
    case 'established':
      return connectionEstablished(fact);
    case 'signed_in':
      return signinSuccess(fact.userData);
    case 'subscription_failed':
      return subscriptionError(fact.channel, fact, fact.status, fact.reason);
    case 'token_revoked':
      return TOKEN_REVOKED;
    case 'token_expired':
      return TOKEN_EXPIRED;
    case 'token_taken':
      return authSuccess(fact);
    case 'delta_bases':
      return deltaCacheSync(fact.channel, fact);
    case 'delta_settled':
      return deltaEnabled(fact.algorithm, fact.channel);
    case 'resume_failed':
      return resumeFailed(fact.failure);
    case 'resumed':
      return resumeSuccess(fact.recovered, fact.failed);
    case 'rewound':
      return rewindComplete(fact.channel, fact.report);
    case 'history_page':
      return { event: 'service:channel_history', channel: fact.channel, dataText: fact.pageText };
    case 'failed':
    default:
      return errorFrame(fact);
  }
}

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cacheMiss,
  connectionEstablished,
  encodeV1,
  errorFrame,
  frameError,
  memberAdded,
  memberRemoved,
  type OutboundFrame,
  PING,
  PONG,
  presenceSubscriptionSucceeded,
  signinSuccess,
  subscriptionCount,
  subscriptionError,
  subscriptionSucceeded,
  TOKEN_REVOKED,
  watchlistEvents,
} from '../src/index.js';

const ada = { userId: 'u-17', userInfoText: '{"name":"Ada"}' };
const refusal = frameError('auth_failed', {
  message: 'Authentication error: invalid signature',
  channel: 'private-orders',
});
const watchlist = (online: string[], offline: string[]): string => {
  const frame = watchlistEvents({ online, offline });
  return frame === null ? '' : encodeV1(frame);
};

it('the end of a revoked token is told as documented, spelled for protocol 2', () => {
  expect(TOKEN_REVOKED).toEqual({
    event: 'service:token_expired',
    dataText: '{"code":40160,"reason":"revoked"}',
  });
});

describe('frames of protocol 1 are as documented', () => {
  it.each([
    [
      encodeV1(connectionEstablished({ socketId: '218734.4410928', activityTimeoutSeconds: 120 })),
      String.raw`{"event":"pusher:connection_established","data":"{\"socket_id\":\"218734.4410928\",\"activity_timeout\":120}"}`,
    ],
    [
      encodeV1(errorFrame(refusal)),
      '{"event":"pusher:error","channel":"private-orders","data":{"code":4009,"message":"Authentication error: invalid signature"}}',
    ],
    [
      encodeV1(errorFrame(frameError('malformed_frame'))),
      '{"event":"pusher:error","data":{"code":4000,"message":"The frame is not valid"}}',
    ],
    [encodeV1(PING), '{"event":"pusher:ping"}'],
    [encodeV1(PONG), '{"event":"pusher:pong"}'],
    [
      encodeV1(subscriptionSucceeded('orders')),
      '{"event":"pusher_internal:subscription_succeeded","channel":"orders","data":"{}"}',
    ],
    [
      encodeV1(
        presenceSubscriptionSucceeded('presence-lobby', [ada, { userId: 'u-20', userInfoText: '{}' }]),
      ),
      String.raw`{"event":"pusher_internal:subscription_succeeded","channel":"presence-lobby","data":"{\"presence\":{\"ids\":[\"u-17\",\"u-20\"],\"hash\":{\"u-17\":{\"name\":\"Ada\"},\"u-20\":{}},\"count\":2}}"}`,
    ],
    [
      encodeV1(subscriptionError('private-orders', refusal, 401)),
      '{"event":"pusher:subscription_error","channel":"private-orders","data":{"type":"AuthError","error":"Authentication error: invalid signature","status":401,"code":4009}}',
    ],
    [
      encodeV1(subscriptionError('a b', { code: 4300, message: 'no' }, 400)),
      '{"event":"pusher:subscription_error","channel":"a b","data":{"type":"SubscriptionError","error":"no","status":400,"code":4300}}',
    ],
    [
      encodeV1(memberAdded('presence-lobby', { userId: 'u-20', userInfoText: '{"name":"Bo"}' })),
      String.raw`{"event":"pusher_internal:member_added","channel":"presence-lobby","data":"{\"user_id\":\"u-20\",\"user_info\":{\"name\":\"Bo\"}}"}`,
    ],
    [
      encodeV1(memberRemoved('presence-lobby', 'u-20')),
      String.raw`{"event":"pusher_internal:member_removed","channel":"presence-lobby","data":"{\"user_id\":\"u-20\"}"}`,
    ],
    [
      encodeV1(signinSuccess('{"id":"u-17"}')),
      String.raw`{"event":"pusher:signin_success","data":{"user_data":"{\"id\":\"u-17\"}"}}`,
    ],
    [
      watchlist(['u-20'], ['u-21']),
      String.raw`{"event":"pusher_internal:watchlist_events","data":"{\"events\":[{\"name\":\"online\",\"user_ids\":[\"u-20\"]},{\"name\":\"offline\",\"user_ids\":[\"u-21\"]}]}"}`,
    ],
    [
      watchlist([], ['u-21']),
      String.raw`{"event":"pusher_internal:watchlist_events","data":"{\"events\":[{\"name\":\"offline\",\"user_ids\":[\"u-21\"]}]}"}`,
    ],
    [watchlist([], []), ''],
    [
      encodeV1(cacheMiss('cache-prices')),
      '{"event":"pusher:cache_miss","channel":"cache-prices","data":"{}"}',
    ],
    [
      encodeV1(subscriptionCount('orders', 12)),
      String.raw`{"event":"pusher_internal:subscription_count","channel":"orders","data":"{\"subscription_count\":12}"}`,
    ],
    [
      encodeV1({ event: 'order.paid', channel: 'orders', dataText: JSON.stringify('{"id":9}') }),
      String.raw`{"event":"order.paid","channel":"orders","data":"{\"id\":9}"}`,
    ],
    [
      encodeV1({ event: 'client-x', channel: 'presence-a', dataText: '{ "n": 1.00 }', userId: 'u-17' }),
      '{"event":"client-x","channel":"presence-a","data":{ "n": 1.00 },"user_id":"u-17"}',
    ],
    [
      encodeV1({ event: 'client-x', channel: 'private-a', dataText: null }),
      '{"event":"client-x","channel":"private-a"}',
    ],
    [
      encodeV1({ event: 'service:custom', channel: 'a', dataText: '""' }),
      '{"event":"pusher:custom","channel":"a","data":""}',
    ],
  ])('%s', (text, documented) => {
    expect(text).toBe(documented);
  });
});

const text = fc.string({ unit: 'binary' });
const read = (frame: OutboundFrame) => JSON.parse(encodeV1(frame));

describe('what went into a frame comes out of it', () => {
  it('for application events', () => {
    fc.assert(
      fc.property(text, text, fc.json(), fc.option(text), (name, channel, dataText, userId) => {
        const event = `client-${name}`;
        expect(JSON.parse(encodeV1({ event, channel, dataText, userId }))).toEqual({
          event,
          channel,
          data: JSON.parse(dataText),
          ...(userId === null ? {} : { user_id: userId }),
        });
      }),
    );
  });

  it('for a roster in its order, whatever the ids', () => {
    const id = fc.oneof(text, fc.constantFrom('10', '2', '__proto__', 'constructor'));
    const member = fc.record({ userId: id, userInfoText: fc.json() });
    const roster = fc.uniqueArray(member, { selector: ({ userId }) => userId });
    fc.assert(
      fc.property(text, roster, (channel, members) => {
        const frame = JSON.parse(encodeV1(presenceSubscriptionSucceeded(channel, members)));
        const { presence } = JSON.parse(frame.data);
        expect(presence.ids).toEqual(members.map(({ userId }) => userId));
        expect(presence.count).toBe(members.length);
        expect(Object.keys(presence.hash)).toHaveLength(members.length);
        for (const { userId, userInfoText } of members) {
          expect(Object.getOwnPropertyDescriptor(presence.hash, userId)?.value).toEqual(
            JSON.parse(userInfoText),
          );
        }
      }),
    );
  });

  it('for every other text', () => {
    fc.assert(
      fc.property(text, text, fc.json(), (channel, word, userInfoText) => {
        expect(read(errorFrame({ code: 4000, message: word, channel })).data.message).toBe(word);
        const denied = read(subscriptionError(channel, { code: 4300, message: word }, 400));
        expect([denied.channel, denied.data.error]).toEqual([channel, word]);
        expect(read(signinSuccess(word)).data.user_data).toBe(word);
        const removed = read(memberRemoved(channel, word));
        expect(JSON.parse(removed.data)).toEqual({ user_id: word });
        const added = read(memberAdded(channel, { userId: word, userInfoText }));
        expect(JSON.parse(added.data)).toEqual({ user_id: word, user_info: JSON.parse(userInfoText) });
      }),
    );
  });
});

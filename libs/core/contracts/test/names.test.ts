import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cacheKeys,
  isEssential,
  natsNames,
  partitionedQueue,
  queueNames,
  redisNames,
  sharedNames,
} from '../src/index.js';

describe('on NATS', () => {
  const names = natsNames('service_adapter:');

  it('the prefix loses its trailing separators', () => {
    expect(names.broadcast).toBe('service_adapter.broadcast');
    expect(natsNames('a.b.:.').requests).toBe('a.b.requests');
    expect(names.node('gw-a-1f2e3d4c')).toBe('service_adapter.node.gw-a-1f2e3d4c');
    expect([names.control, names.responses, names.writers]).toEqual([
      'service_adapter.control',
      'service_adapter.responses',
      'service_adapter.writers',
    ]);
    expect([names.commit(5), names.read(5)]).toEqual(['service_adapter.commit.5', 'service_adapter.read.5']);
  });

  it('a node is never an empty token', () => {
    expect(names.node('.a..b.')).toBe('service_adapter.node._a_.b_');
    expect(names.reply('gw.1-00')).toBe('_INBOX.service_adapter.gw.1-00');
  });

  it('a channel is two tokens that hold nothing of the subject language', () => {
    expect(names.channel('shop', 'orders')).toBe('service_adapter.ch.c2hvcA.b3JkZXJz');
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (app, channel) => {
        const subject = names.channel(app, channel);
        expect(subject).toMatch(/^service_adapter\.ch\.~?[\w-]+\.~?[\w-]+$/);
        expect(subject.startsWith(names.allChannels(app).slice(0, -1))).toBe(true);
      }),
    );
  });
});

describe('on Redis', () => {
  const names = redisNames('service_adapter:');

  it('the prefix is used as written', () => {
    expect(names.broadcast).toBe('service_adapter:#broadcast');
    expect(names.channel('shop', 'chat:1')).toBe('service_adapter:#ch:shop:chat:1');
    expect(names.node('n')).toBe('service_adapter:#node:n');
    expect(names.reply('r')).toBe('service_adapter:#reply:r');
    expect(names.commit(5)).toBe('service_adapter:#commit:5');
  });

  it('a pattern takes its app literally', () => {
    expect(names.allChannels('shop')).toBe('service_adapter:#ch:shop:*');
    expect(names.allChannels('s*[a]?\\')).toBe('service_adapter:#ch:s\\*\\[a\\]\\?\\\\:*');
  });
});

it('where every node hears everything, there are three addresses', () => {
  const names = sharedNames('p');
  const all = [names.broadcast, names.requests, names.responses, names.control, names.node('x')];
  all.push(names.reply('x'), names.channel('x', 'y'), names.allChannels('x'));
  expect([...new Set(all)]).toEqual(['p.broadcast', 'p.requests', 'p.responses']);
  expect([names.writers, names.commit(5), names.read(5)]).toEqual(['p.writers', 'p.commit.5', 'p.read.5']);
});

describe.each([natsNames('p'), redisNames('p'), sharedNames('p')])(
  'however long what it names is',
  (names) => {
    const anything = fc
      .tuple(fc.string({ minLength: 1, maxLength: 8, unit: 'grapheme' }), fc.nat({ max: 2000 }))
      .map(([text, times]) => text.repeat(times + 1));

    it('a name is bounded', () => {
      fc.assert(
        fc.property(anything, anything, (one, other) => {
          const all = [names.channel(one, other), names.allChannels(one), names.node(one), names.reply(one)];
          for (const name of all) expect(Buffer.byteLength(name)).toBeLessThan(640);
        }),
      );
    });

    it('the same thing has the same name', () => {
      fc.assert(
        fc.property(anything, anything, (app, channel) => {
          expect(names.channel(app, channel)).toBe(names.channel(app, channel));
        }),
      );
    });
  },
);

it.each([natsNames('p'), redisNames('p')])('long names are told apart', (names) => {
  const long = 'x'.repeat(3000);
  const all = [
    names.channel('a', `${long}1`),
    names.channel('a', `${long}2`),
    names.channel(`${long}1`, 'a'),
    names.channel(`${long}2`, 'a'),
    names.channel(long, long),
  ];
  expect(new Set(all).size).toBe(all.length);
});

it.each([natsNames('p'), redisNames('p')])('every address is another one', (names) => {
  const all = [
    names.broadcast,
    names.requests,
    names.responses,
    names.control,
    names.writers,
    names.node('x'),
    names.reply('x'),
    names.channel('x', 'y'),
    names.channel('y', 'x'),
    names.allChannels('x'),
    names.commit(0),
    names.commit(1),
    names.read(0),
  ];
  expect(new Set(all).size).toBe(all.length);
});

describe('in the cache', () => {
  it('names are as documented', () => {
    expect(cacheKeys.appById('shop')).toBe('app:id:shop');
    expect(cacheKeys.appByKey('shop-key')).toBe('app:key:shop-key');
    expect(cacheKeys.request('shop', 'k')).toBe('app:shop:idempotency:k');
    expect(cacheKeys.batchRequest('shop', 'k')).toBe('app:shop:batch-idempotency:k');
    expect(cacheKeys.cacheMiss('shop', 'c')).toBe('app:shop:channel:c:cache_miss');
    expect(cacheKeys.lastEvent('shop', 'c')).toBe('app:shop:channel:c:last_event');
    expect(cacheKeys.channelList('shop', 'p-', 'user_count')).toBe('internal:channels:shop:p-:user_count');
    expect(cacheKeys.revokedToken('shop', 't')).toBe('service:capability_revocation:shop:jti:t');
    expect(cacheKeys.revokedClient('shop', 'u')).toBe('service:capability_revocation:shop:client:u');
    expect(cacheKeys.aiActiveStreamCount('shop', 'c')).toBe('ai_transport:active_stream_count:shop:c');
    expect(cacheKeys.pushAcceptance('shop')).toBe('push:acceptance:shop');
    expect(cacheKeys.deadNodeUser('n', 'shop', 'c', 'u')).toBe('cluster:dead:n:shop:c:u');
    expect(cacheKeys.appRate('shop', 'read')).toBe('rl:app:shop:read');
    expect(cacheKeys.connectionQuota('shop')).toBe('quota:conn:shop');
    expect(cacheKeys.sequence('shop', 'c')).toBe('seq:{shop:c}');
    expect(cacheKeys.hotBuffer('shop', 'c')).toBe('hot:{shop:c}');
    expect(cacheKeys.presenceDegraded('shop', 'c')).toBe('presence:degraded:shop:c');
    expect(cacheKeys.historyDegraded('shop', 'c')).toBe('history:degraded:shop:c');
  });

  it('an idempotent publish has one name per app, channel and key, wherever their separators are', () => {
    expect(cacheKeys.publish('a', 'b:c', 'd')).not.toBe(cacheKeys.publish('a', 'b', 'c:d'));
    expect(cacheKeys.publish('a', 'b', 'c')).toMatch(/^idempotency:publish:v1:a:[0-9a-f]{64}$/);
  });

  it('what security or correctness hangs on is told apart', () => {
    const essential = [
      cacheKeys.request('shop', 'k'),
      cacheKeys.batchRequest('shop', 'k'),
      cacheKeys.publish('shop', 'c', 'k'),
      cacheKeys.revokedToken('shop', 't'),
      cacheKeys.revokedClient('shop', 'u'),
      cacheKeys.aiActiveStream('shop', 'c', 's'),
      cacheKeys.aiActiveStreamCount('shop', 'c'),
      cacheKeys.aiOrphanClaim('shop', 'c', 's'),
      cacheKeys.deadNodeUser('n', 'shop', 'c', 'u'),
      cacheKeys.appRate('shop', 'backend'),
      cacheKeys.connectionQuota('shop'),
      cacheKeys.sequence('shop', 'c'),
      cacheKeys.hotBuffer('shop', 'c'),
    ];
    const replaceable = [
      cacheKeys.appById('idempotency'),
      cacheKeys.appByKey('k'),
      cacheKeys.cacheMiss('shop', 'idempotency'),
      cacheKeys.lastEvent('shop', 'idempotency'),
      cacheKeys.channelList('shop', 'p', 'i'),
      cacheKeys.pushAcceptance('shop'),
      cacheKeys.historyDegraded('shop', 'c'),
      cacheKeys.presenceDegraded('shop', 'c'),
    ];
    expect(essential.filter((name) => !isEssential(name))).toEqual([]);
    expect(replaceable.filter(isEssential)).toEqual([]);
  });
});

it('queues are named by item, and by partition when there are several', () => {
  expect(queueNames.pushDelivery('fcm')).toBe('push.delivery.fcm.v1');
  expect(partitionedQueue(queueNames.pushPublish, 17, 1)).toBe('push.publish.v1');
  expect(partitionedQueue(queueNames.pushPublish, 17, 4)).toBe('push.publish.v1.p1');
});

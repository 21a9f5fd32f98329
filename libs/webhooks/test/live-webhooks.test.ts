import { LocalFabric } from '@carillon/fabric';
import { describe, expect, it } from 'vitest';
import type { WebhookEvent } from '../src/events/event.js';
import { LiveWebhooks } from '../src/live-webhooks.js';
import { ManualClock, turn } from './manual-clock.js';
import { app, recordingLog } from './samples.js';

const EVERYTHING = [
  'channel_occupied',
  'channel_vacated',
  'member_added',
  'member_removed',
  'subscription_count',
];
const wanting = (...event_types: readonly string[]) => app([{ url: 'http://h/', event_types }]);
const orders = { name: 'orders', traits: { members: false } };
const lobby = { name: 'presence-lobby', traits: { members: true } };

/** An event without its channel. */
function short(event: WebhookEvent): string {
  const members = Object.entries(event).filter(([member]) => member !== 'channel');
  return members.map(([, value]) => String(value)).join(' ');
}

/** One process, with others whose subscribers a test sets. */
function scene() {
  const clock = new ManualClock();
  const told: string[] = [];
  const here = new Map<string, number>();
  const elsewhere = new Map<string, number>();
  const present = new Set<string>();
  let questions = 0;
  const fabric = new LocalFabric('n', () => {});
  fabric.listen({
    deliver: () => {},
    answer: (kind) => {
      questions += 1;
      const counts = ['orders', 'presence-lobby'].map(
        (name) => [name, (here.get(name) ?? 0) + (elsewhere.get(name) ?? 0)] as const,
      );
      expect(kind).toBe('batch_channel_sockets_count');
      return new Map(counts) as never;
    },
  });
  const webhooks = new LiveWebhooks({
    collector: {
      add: (_: unknown, event: WebhookEvent) => void told.push(short(event)),
      cut() {},
      flush: async () => {},
    } as never,
    fabric,
    apps: {
      peekById: () => undefined,
      findById: async (id: string) => (id === 'shop' ? wanting(...EVERYTHING) : null),
    },
    log: recordingLog().log,
    clock,
  });
  webhooks.attend({
    subscribers: (_, channel) => here.get(channel) ?? 0,
    isPresent: async (_, __, userId) => present.has(userId),
  });
  const change = (by: 1 | -1, channel = orders, of = wanting(...EVERYTHING)) => {
    const count = (here.get(channel.name) ?? 0) + by;
    here.set(channel.name, count);
    webhooks[by === 1 ? 'subscribed' : 'unsubscribed'](of, channel, count);
  };
  const news = async (): Promise<string[]> => {
    await turn();
    return told.splice(0);
  };
  return { clock, told, webhooks, elsewhere, present, change, news, questions: () => questions };
}

describe('a channel', () => {
  it('is occupied by its first subscriber, and vacated three seconds after its last has gone', async () => {
    const { change, news, clock } = scene();
    change(1);
    change(1);
    expect((await news()).sort()).toEqual([
      'channel_occupied',
      'subscription_count 1',
      'subscription_count 2',
    ]);
    change(-1);
    change(-1);
    await clock.pass(2999);
    expect(await news()).toEqual(['subscription_count 1', 'subscription_count 0']);
    await clock.pass(1);
    expect(await news()).toEqual(['channel_vacated']);
  });

  it('that is left and entered again within three seconds stays occupied, and nothing is said', async () => {
    const { change, news, clock } = scene();
    const of = wanting('channel_occupied', 'channel_vacated');
    change(1, orders, of);
    change(-1, orders, of);
    await clock.pass(2000);
    change(1, orders, of);
    await clock.pass(10_000);
    expect(await news()).toEqual(['channel_occupied']);
  });

  it('is said to be occupied once for both events, also when only one of them is wanted', async () => {
    const { change, news, clock } = scene();
    for (const wanted of ['channel_occupied', 'channel_vacated']) {
      const of = wanting(wanted);
      change(1, orders, of);
      change(-1, orders, of);
      await clock.pass(100);
      change(1, orders, of);
      change(-1, orders, of);
      await clock.pass(3000);
      expect(await news()).toEqual([wanted]);
    }
  });

  it('with subscribers in other processes is neither occupied nor vacated here, and counts them', async () => {
    const { change, news, clock, elsewhere } = scene();
    elsewhere.set('orders', 3);
    change(1);
    change(-1);
    await clock.pass(3000);
    expect(await news()).toEqual(['subscription_count 4', 'subscription_count 3']);
  });

  it('costs no question to other processes when nobody wants to know', async () => {
    const { change, news, clock, questions } = scene();
    change(1, orders, wanting('cache_miss'));
    change(-1, orders, wanting('cache_miss'));
    await clock.pass(10_000);
    expect(await news()).toEqual([]);
    expect(questions()).toBe(0);
  });

  it('with members has no count', async () => {
    const { change, news } = scene();
    change(1, lobby);
    expect(await news()).toEqual(['channel_occupied']);
  });
});

describe('a member', () => {
  it('is added at once and removed three seconds later', async () => {
    const { webhooks, news, clock } = scene();
    const of = wanting(...EVERYTHING);
    webhooks.memberAdded(of, 'presence-lobby', 'u-9');
    webhooks.memberRemoved(of, 'presence-lobby', 'u-9');
    expect(await news()).toEqual(['member_added u-9']);
    await clock.pass(3000);
    expect(await news()).toEqual(['member_removed u-9']);
  });

  it('that comes back within three seconds, here or elsewhere, was never gone', async () => {
    const { webhooks, news, clock, present } = scene();
    const of = wanting(...EVERYTHING);
    webhooks.memberRemoved(of, 'presence-lobby', 'u-9');
    await clock.pass(2999);
    webhooks.memberAdded(of, 'presence-lobby', 'u-9');
    webhooks.memberRemoved(of, 'presence-lobby', 'u-10');
    present.add('u-10');
    await clock.pass(10_000);
    expect(await news()).toEqual([]);
  });

  it('is removed also when its app has nothing here any more, if the app exists', async () => {
    const { webhooks, news, clock } = scene();
    webhooks.memberRemoved('shop', 'presence-lobby', 'u-9');
    webhooks.memberRemoved('gone', 'presence-lobby', 'u-9');
    await turn();
    await clock.pass(3000);
    expect(await news()).toEqual(['member_removed u-9']);
  });
});

describe('an event', () => {
  it('nobody lists is not told', async () => {
    const { webhooks, news } = scene();
    webhooks.emit(wanting('cache_miss'), { name: 'channel_occupied', channel: 'a' });
    expect(await news()).toEqual([]);
  });

  it('of an AI run is told under its older name to those who list that', async () => {
    const { webhooks, news } = scene();
    const started = { name: 'ai_run_started', channel: 'ai', run_id: 'r', client_id: 'c' } as const;
    webhooks.emit(wanting('ai_run_started'), started);
    expect(await news()).toEqual(['ai_run_started r c']);
    webhooks.emit(wanting('ai_run_started', 'ai_turn_started'), started);
    expect(await news()).toEqual(['ai_run_started r c', 'ai_turn_started r c r']);
  });
});

describe('a stop', () => {
  it('waits until it is settled who has gone', async () => {
    const { webhooks, change, told } = scene();
    change(1);
    await turn();
    change(-1);
    const flushed = webhooks.flush(AbortSignal.timeout(100));
    await flushed;
    expect(told).not.toContain('channel_vacated');
    webhooks.stop();
    await webhooks.flush(new AbortController().signal);
  });
});

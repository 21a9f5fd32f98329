import { EventEmitter, once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { WebhookEvent } from '../src/events/event.js';
import { LiveWebhooks } from '../src/live-webhooks.js';
import { ManualClock, turn } from './manual-clock.js';
import { app, recordingLog } from './samples.js';

const EVERYTHING = ['channel_occupied', 'channel_vacated', 'member_added', 'member_removed'];
const wanting = (...event_types: readonly string[]) => app([{ url: 'http://h/', event_types }]);
/** An event without its channel. */
function short(event: WebhookEvent): string {
  const members = Object.entries(event).filter(([member]) => member !== 'channel');
  return members.map(([, value]) => String(value)).join(' ');
}

/** One process that is alone. */
function scene() {
  const clock = new ManualClock();
  const told: string[] = [];
  const occupied = new Set<string>();
  const present = new Set<string>();
  const webhooks = new LiveWebhooks({
    batcher: {
      add: (_: unknown, event: WebhookEvent) => void told.push(short(event)),
      cut() {},
      flush: async () => {},
    } as never,
    apps: {
      peekById: () => undefined,
      findById: async (id: string) => (id === 'shop' ? wanting(...EVERYTHING) : null),
    },
    log: recordingLog().log,
    notices: null,
    clock,
  });
  webhooks.attend({
    isOccupied: async (_, channel) => occupied.has(channel),
    isPresent: async (_, __, userId) => present.has(userId),
  });
  const occupy = (of: ReturnType<typeof wanting> | string = wanting(...EVERYTHING)) => {
    occupied.add('orders');
    webhooks.channelOccupied(of, 'orders');
  };
  const vacate = (of: ReturnType<typeof wanting> | string = wanting(...EVERYTHING)) => {
    occupied.delete('orders');
    webhooks.channelVacated(of, 'orders');
  };
  const news = async (): Promise<string[]> => {
    await turn();
    return told.splice(0);
  };
  return { clock, told, webhooks, present, occupied, occupy, vacate, news };
}

it('tells what is certain of an app that only its id is known of, before it stops', async () => {
  const answers = new EventEmitter();
  const answered = once(answers, 'answer');
  const told: unknown[] = [];
  const webhooks = new LiveWebhooks({
    batcher: {
      add: (_: unknown, event: WebhookEvent) => void told.push(event),
      cut() {},
      flush: async () => {},
    } as never,
    apps: {
      peekById: () => undefined,
      findById: async () => (await answered, wanting('ai_stream_orphaned')),
    },
    log: recordingLog().log,
    notices: null,
  });
  const event = { channel: 'ai-left', message_serial: 's', reason: 'orphan_timeout' } as const;
  webhooks.emit('shop', { name: 'ai_stream_orphaned', ...event });
  const flushed = webhooks.flush(new AbortController().signal);
  answers.emit('answer');
  await flushed;
  expect(told).toEqual([{ name: 'ai_stream_orphaned', ...event }]);
});

describe('a channel', () => {
  it('is occupied at once, and vacated three seconds after its last subscriber has gone', async () => {
    const { occupy, vacate, news, clock } = scene();
    occupy();
    expect(await news()).toEqual(['channel_occupied']);
    vacate();
    await clock.pass(2999);
    expect(await news()).toEqual([]);
    await clock.pass(1);
    expect(await news()).toEqual(['channel_vacated']);
  });

  it('that is left and entered again within three seconds stays occupied, and nothing is said', async () => {
    const { occupy, vacate, news, clock } = scene();
    const of = wanting('channel_occupied', 'channel_vacated');
    occupy(of);
    vacate(of);
    await clock.pass(2000);
    occupy(of);
    await clock.pass(10_000);
    expect(await news()).toEqual(['channel_occupied']);
  });

  it('is said to be occupied once for both events, also when only one of them is wanted', async () => {
    const { occupy, vacate, news, clock } = scene();
    for (const wanted of ['channel_occupied', 'channel_vacated']) {
      const of = wanting(wanted);
      occupy(of);
      vacate(of);
      await clock.pass(100);
      occupy(of);
      vacate(of);
      await clock.pass(3000);
      expect(await news()).toEqual([wanted]);
    }
  });

  it('with a subscriber after all is not vacated', async () => {
    const { occupy, vacate, occupied, news, clock } = scene();
    occupy();
    vacate();
    occupied.add('orders');
    await clock.pass(3000);
    expect(await news()).toEqual(['channel_occupied']);
  });

  it('of an app that has nothing here is vacated, if the app exists', async () => {
    const { vacate, news, clock } = scene();
    vacate('shop');
    vacate('gone');
    await turn();
    await clock.pass(3000);
    expect(await news()).toEqual(['channel_vacated']);
  });

  it('is nothing to those who do not want to know', async () => {
    const { occupy, vacate, news, clock } = scene();
    occupy(wanting('cache_miss'));
    vacate(wanting('cache_miss'));
    await clock.pass(10_000);
    expect(await news()).toEqual([]);
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
    const { webhooks, occupy, vacate, told } = scene();
    occupy();
    await turn();
    vacate();
    const flushed = webhooks.flush(AbortSignal.timeout(100));
    await flushed;
    expect(told).not.toContain('channel_vacated');
    webhooks.stop();
    await webhooks.flush(new AbortController().signal);
  });
});

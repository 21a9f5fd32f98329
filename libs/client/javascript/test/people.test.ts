import { describe, expect, it } from 'vitest';
import { json } from '../src/format/json.js';
import { numbered, settled, subscribed, World } from './harness/world.js';

describe('private channels', () => {
  it('are asked for at the app, for each connection anew', async () => {
    const asked: unknown[] = [];
    const world = new World({
      authorize: async (about) => {
        asked.push(about);
        return { auth: `key:${about.socketId}`, shared_secret: 'c2VjcmV0' };
      },
    });
    await world.connect();
    world.client.subscribe('private-a');
    world.client.subscribe('open');
    await settled();
    expect(world.socket.taken()).toContainEqual({
      event: 'service:subscribe',
      data: { channel: 'private-a', auth: 'key:1.1' },
    });
    world.socket.ends(1006);
    await world.clock.pass(500);
    await world.establish();
    expect(asked).toEqual([
      { socketId: '1.1', channel: 'private-a' },
      { socketId: '1.2', channel: 'private-a' },
    ]);
  });

  it('fail when the app does not answer, and can be tried again', async () => {
    let isDown = true;
    const world = new World({
      authorize: () => {
        if (isDown) throw new Error('down');
        return { auth: 'key:good' };
      },
    });
    await world.connect();
    const channel = world.client.subscribe('private-a');
    await expect(channel.whenSubscribed()).rejects.toMatchObject({ message: 'down', channel: 'private-a' });
    expect(channel.state).toBe('failed');
    isDown = false;
    channel.subscribe();
    await settled();
    world.socket.says(subscribed('private-a'));
    expect(channel.state).toBe('subscribed');
  });

  it('do not hear an answer of the app that belongs to an earlier connection', async () => {
    const answers: (() => void)[] = [];
    const world = new World({
      authorize: ({ socketId }) =>
        new Promise((answer) => answers.push(() => answer({ auth: `key:${socketId}` }))),
    });
    await world.connect();
    world.client.subscribe('private-a');
    world.socket.ends(1006);
    await world.clock.pass(500);
    await world.establish();
    for (const answer of answers) answer();
    await settled();
    const asked = world.socket.taken().filter(({ event }) => event === 'service:subscribe');
    expect(asked).toMatchObject([{ data: { auth: 'key:1.2' } }]);
  });
});

const refused = (channel: string, status: number): object => ({
  event: 'service:subscription_error',
  channel,
  data: { type: 'SubscriptionError', error: 'retry', status, code: status === 503 ? 4100 : 4009 },
});
const asked = (world: World): number =>
  world.socket.taken().filter(({ event }) => event === 'service:subscribe').length;

describe('a subscription', () => {
  it('that the service cannot take now is asked for again, later each time, until it is left', async () => {
    const world = new World();
    await world.connect();
    const channel = world.client.subscribe('orders');
    const subscribedOnce = channel.whenSubscribed();
    const errors: unknown[] = [];
    channel.on('error', ({ status }) => errors.push(status));
    await settled();
    for (const waitMs of [500, 1000, 2000]) {
      expect(asked(world)).toBe(1);
      world.socket.says(refused('orders', 503));
      await world.clock.pass(waitMs - 1);
      expect([channel.state, asked(world)]).toEqual(['subscribing', 0]);
      await world.clock.pass(1);
    }
    world.socket.says(subscribed('orders'));
    await subscribedOnce;
    expect(errors).toEqual([503, 503, 503]);
    channel.subscribe();
    await settled();
    world.socket.says(refused('orders', 503));
    channel.unsubscribe();
    world.socket.taken();
    await world.clock.pass(20_000);
    expect(asked(world)).toBe(0);
  });

  it('that came too fast is asked for again, but not one too many', async () => {
    const world = new World();
    await world.connect();
    const channel = world.client.subscribe('orders');
    await settled();
    const tooFast = { event: 'service:error', channel: 'orders', data: { code: 4301, message: 'too fast' } };
    world.socket.says(tooFast);
    world.socket.taken();
    await world.clock.pass(500);
    expect([channel.state, asked(world)]).toEqual(['subscribing', 1]);
    world.socket.says(tooFast);
    world.socket.says(refused('orders', 400));
    await world.clock.pass(20_000);
    expect([channel.state, asked(world)]).toEqual(['failed', 0]);
  });

  it('that was left before it was answered stays left, whatever the answer', async () => {
    const world = new World();
    await world.connect();
    const channel = world.client.subscribe('presence-a');
    const waiting = channel.whenSubscribed();
    await settled();
    channel.unsubscribe();
    await expect(waiting).rejects.toMatchObject({ channel: 'presence-a' });
    world.socket.says(subscribed('presence-a', { presence: { ids: ['a'], hash: { a: {} } } }));
    world.socket.says(refused('presence-a', 403));
    expect([channel.state, channel.presence.members]).toEqual(['idle', []]);
    world.socket.ends(1006);
    await world.clock.pass(500);
    await world.establish();
    expect(asked(world)).toBe(0);
  });

  it('may be asked for with a filter that lets everything through', async () => {
    const world = new World();
    await world.connect();
    world.client.subscribe('orders', { filter: {} });
    await settled();
    expect(world.socket.taken()).toEqual([
      { event: 'service:subscribe', data: { channel: 'orders', filter: { events: [] } } },
    ]);
  });

  it('that was refused says so to whoever asks afterwards', async () => {
    const world = new World();
    await world.connect();
    const channel = world.client.subscribe('orders');
    await settled();
    world.socket.says(refused('orders', 403));
    await expect(channel.whenSubscribed()).rejects.toMatchObject({ status: 403 });
  });
});

describe('an app that hangs', () => {
  it('keeps channels waiting for a while, not for ever, and is asked again', async () => {
    let isHanging = true;
    const world = new World({
      authorize: () => (isHanging ? new Promise(() => undefined) : { auth: 'key:good' }),
      authenticate: () => new Promise(() => undefined),
      pongTimeoutMs: 10_000_000,
    });
    const errors: unknown[] = [];
    world.client.user.on('error', ({ status }) => errors.push(status));
    void world.client.user.signIn().catch(() => undefined);
    await world.connect();
    for (const name of ['orders', 'private-a']) world.client.subscribe(name);
    const asked = (): unknown[] =>
      world.socket.taken().flatMap(({ event, data }) => (event === 'service:subscribe' ? [data] : []));
    expect(asked()).toEqual([]);
    await world.clock.pass(30_000);
    expect([errors, asked()]).toEqual([[503], [{ channel: 'orders' }]]);
    isHanging = false;
    await world.clock.pass(30_500);
    expect(asked()).toEqual([{ channel: 'private-a', auth: 'key:good' }]);
  });
});

describe('a user', () => {
  it('who signs in twice at once is signed in once, and keeps no channel waiting', async () => {
    const world = new World({ authenticate: async () => ({ auth: 'key:x', user_data: '{"id":"u"}' }) });
    const first = world.client.user.signIn();
    await world.connect();
    const second = world.client.user.signIn();
    world.client.subscribe('orders');
    await settled();
    const sent = world.socket.taken().map(({ event }) => event);
    expect(sent).toEqual(['service:signin']);
    world.socket.says({ event: 'service:signin_success', data: { user_data: '{"id":"u"}' } });
    await Promise.all([first, second]);
    await settled();
    expect(world.socket.taken().map(({ event }) => event)).toEqual(['service:subscribe']);
  });
});

const members = (hash: object) => ({ presence: { ids: Object.keys(hash), hash } });

describe('a presence channel', () => {
  it('tells after a lost connection who came and who went meanwhile', async () => {
    const world = new World();
    await world.connect();
    const { presence } = world.client.subscribe('presence-lobby');
    const told: unknown[] = [];
    await settled();
    world.socket.says(subscribed('presence-lobby', members({ a: 1, b: 2, c: 3 })));
    for (const event of ['enter', 'leave', 'update'] as const) {
      presence.on(event, ({ id, info }) => told.push([event, id, info]));
    }
    world.socket.ends(1006);
    await world.clock.pass(500);
    await world.establish();
    world.socket.says(subscribed('presence-lobby', members({ b: 2, c: 4, d: 5 })));
    expect(told).toEqual([
      ['leave', 'a', 1],
      ['update', 'c', 4],
      ['enter', 'd', 5],
    ]);
  });

  it('is told what this client says of itself when it is subscribed, and again on every connection', async () => {
    const world = new World();
    const channel = world.client.subscribe('presence-lobby');
    channel.presence.update('here');
    await world.connect();
    const told = (): unknown[] =>
      world.socket.taken().flatMap(({ event, data }) => (event === 'service:presence_update' ? [data] : []));
    expect(told()).toEqual([]);
    world.socket.says(subscribed('presence-lobby', members({ a: 1 })));
    expect(told()).toEqual([{ channel: 'presence-lobby', data: 'here' }]);
    channel.presence.update('away');
    expect(told()).toEqual([{ channel: 'presence-lobby', data: 'away' }]);
    world.socket.ends(1006);
    await world.clock.pass(500);
    await world.establish();
    world.socket.says(subscribed('presence-lobby', members({ a: 1 })));
    world.socket.says(subscribed('presence-lobby', members({ a: 1 })));
    expect(told()).toEqual([{ channel: 'presence-lobby', data: 'away' }]);
    channel.unsubscribe();
    expect(() => channel.presence.update('gone')).toThrow('not subscribed');
    channel.subscribe();
    await settled();
    world.socket.says(subscribed('presence-lobby', members({ a: 1 })));
    expect(told()).toEqual([]);
  });
});

const reply = (serial: number, next: string | null): object => ({
  event: 'service:channel_history',
  channel: 'chat',
  data: {
    items: [{ serial, published_at_ms: 7, message: numbered('chat', serial) }],
    has_more: next !== null,
    next_cursor: next,
    continuity: { truncated_by_retention: true },
  },
});

describe('history', () => {
  it.each([
    ['json', [0, 255]],
    ['messagepack', Uint8Array.of(0, 255)],
  ])('has bytes as messages that come live in %s have them', async (name, data) => {
    const world = new World({ format: { ...json, name: name as 'json' | 'messagepack' } });
    await world.connect();
    const channel = world.client.subscribe('chat');
    await settled();
    world.socket.says(subscribed('chat'));
    const page = channel.history();
    const message = { event: 'client-x', channel: 'chat', data: [0, 255], data_kind: 'bytes' };
    const items = [{ serial: 1, published_at_ms: 7, message }];
    const answer = { items, has_more: false, next_cursor: null };
    world.socket.says({ event: 'service:channel_history', channel: 'chat', data: answer });
    expect((await page).items[0]?.message.data).toEqual(data);
  });

  it('is asked for page by page, one request after the other', async () => {
    const world = new World();
    await world.connect();
    const channel = world.client.subscribe('chat');
    await settled();
    world.socket.says(subscribed('chat'));
    world.socket.taken();
    const [first, second] = [channel.history({ limit: 1, untilAttach: true }), channel.history()];
    const asked = {
      event: 'service:channel_history',
      data: { channel: 'chat', limit: 1, until_attach: true },
    };
    expect(world.socket.taken()).toEqual([asked]);
    world.socket.says(reply(2, 'more'));
    const page = await first;
    expect(page).toMatchObject({
      hasMore: true,
      isComplete: false,
      items: [{ serial: 2, publishedAtMs: 7 }],
    });
    expect(world.socket.taken()).toEqual([{ event: 'service:channel_history', data: { channel: 'chat' } }]);
    const refusal = { code: 4300, message: 'History is not served here' };
    world.socket.says({ event: 'service:error', channel: 'chat', data: refusal });
    await expect(second).rejects.toMatchObject({ code: 4300, channel: 'chat' });
    const next = page.next();
    expect(world.socket.taken()).toEqual([{ ...asked, data: { ...asked.data, cursor: 'more' } }]);
    world.socket.says(reply(1, null));
    expect(await (await next)?.next()).toBeNull();
    const lost = channel.history();
    world.socket.ends(1006);
    await expect(lost).rejects.toThrow('lost');
  });
});

import { describe, expect, it } from 'vitest';
import { expiryMs } from '../src/auth/token.js';
import { numbered, settled, subscribed, World } from './harness/world.js';

const segment = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const tokenUntil = (exp: number): string => `${segment({})}.${segment({ exp })}.signature`;

describe('a token', () => {
  it('says when it ends, if it can be read', () => {
    expect(expiryMs(tokenUntil(5))).toBe(5000);
    expect([expiryMs('x'), expiryMs('a.b.c'), expiryMs(tokenUntil('soon' as never))]).toEqual([
      null,
      null,
      null,
    ]);
  });

  it('is replaced before it ends, and the next connection uses the new one', async () => {
    let made = 0;
    const world = new World({ token: () => tokenUntil((made += 1) * 600), pongTimeoutMs: 10_000_000 });
    const socket = await world.connect();
    expect(new URL(socket.url).searchParams.get('token')).toBe(tokenUntil(600));
    await world.clock.pass(540_000);
    const kept = socket.taken().filter(({ event }) => event === 'service:auth');
    expect(kept).toEqual([{ event: 'service:auth', data: { token: tokenUntil(1200) } }]);
    socket.ends(1006);
    await world.clock.pass(500);
    expect(new URL(world.socket.url).searchParams.get('token')).toBe(tokenUntil(1200));
  });

  it('is replaced when the service says that it has ended', async () => {
    let made = 0;
    const world = new World({ token: () => tokenUntil((made += 1) * 600) });
    (await world.connect()).taken();
    world.socket.says({ event: 'service:token_expired', data: { code: 40142, reason: 'expired' } });
    await settled();
    expect(world.socket.taken()).toEqual([{ event: 'service:auth', data: { token: tokenUntil(1200) } }]);
  });

  it('that ended while nobody looked is no reason to stay away', async () => {
    let end = 600;
    const world = new World({ token: () => tokenUntil(end) });
    await world.connect();
    world.client.disconnect();
    await world.clock.pass(700_000);
    world.client.connect();
    await settled();
    world.socket.ends(4009, 'capability token expired');
    expect(world.client.state).toBe('waiting');
    end = 3600;
    await world.clock.pass(500);
    expect(new URL(world.socket.url).searchParams.get('token')).toBe(tokenUntil(3600));
    world.socket.ends(4009, 'You got disconnected by the app.');
    expect(world.client.state).toBe('failed');
  });

  it('that is a text cannot be replaced: its end is the end', async () => {
    const world = new World({ token: tokenUntil(10) });
    (await world.connect()).ends(4009, 'capability token expired');
    expect(world.client.state).toBe('failed');
  });
});

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

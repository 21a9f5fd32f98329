import { describe, expect, it } from 'vitest';
import { expiryMs } from '../src/auth/token.js';
import { settled, World } from './harness/world.js';

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

  it('whose source hangs is asked for again', async () => {
    let made = 0;
    const errors: string[] = [];
    const world = new World({
      token: () => ((made += 1) === 2 ? new Promise<string>(() => undefined) : tokenUntil(made * 600)),
      pongTimeoutMs: 10_000_000,
    });
    world.client.on('error', ({ message }) => errors.push(message));
    const socket = await world.connect();
    await world.clock.pass(540_000 + 30_000 + 5000);
    expect(errors).toEqual(['The app did not answer in time']);
    const kept = socket.taken().filter(({ event }) => event === 'service:auth');
    expect(kept).toEqual([{ event: 'service:auth', data: { token: tokenUntil(1800) } }]);
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

  it('from before that the service refuses, by whatever clock, is tried with another, once', async () => {
    let made = 0;
    const world = new World({ token: () => tokenUntil(1_000_000 + (made += 1)) });
    const used = (): string | null => new URL(world.socket.url).searchParams.get('token');
    (await world.connect()).ends(1006);
    await world.clock.pass(500);
    expect(used()).toBe(tokenUntil(1_000_001));
    world.socket.ends(4009, 'capability token expired');
    await world.clock.pass(1000);
    expect(used()).toBe(tokenUntil(1_000_002));
    world.socket.ends(4009, 'capability token expired');
    expect(world.client.state).toBe('failed');
    // And so is one that the service has let end although the client had time to bring another.
    await world.connect();
    world.socket.says({ event: 'service:token_expired', data: { code: 40142, reason: 'expired' } });
    world.socket.ends(4009, 'capability token expired');
    expect(world.client.state).toBe('waiting');
  });

  it('is asked for until there is one, without a pause for the connection', async () => {
    const answers: (string | Error)[] = [
      tokenUntil(600),
      new Error('down'),
      new Error('down'),
      tokenUntil(1200),
    ];
    const errors: string[] = [];
    const world = new World({
      pongTimeoutMs: 10_000_000,
      token: () => {
        const answer = answers.shift() ?? '';
        if (answer instanceof Error) throw answer;
        return answer;
      },
    });
    world.client.on('error', ({ message }) => errors.push(message));
    await world.connect();
    world.socket.taken();
    await world.clock.pass(540_000);
    await world.clock.pass(10_000);
    expect(errors).toEqual(['down', 'down']);
    const sent = world.socket.taken().filter(({ event }) => event === 'service:auth');
    expect(sent).toEqual([{ event: 'service:auth', data: { token: tokenUntil(1200) } }]);
    expect(world.client.state).toBe('connected');
  });

  it('that is a text cannot be replaced: its end is the end', async () => {
    const world = new World({ token: tokenUntil(10) });
    (await world.connect()).ends(4009, 'capability token expired');
    expect(world.client.state).toBe('failed');
  });
});

import type { Broker } from '@carillon/broker';
import { describe, expect, it } from 'vitest';
import { openScene, overriding, read, refused, type Scene } from './scene.js';

const join = (scene: Scene, channel: string, userId: string, socketId: string) =>
  scene.presence.join({ appId: 'shop', channel, userId, socketId, userInfoText: '{}' }, Infinity);

describe('the list of channels', () => {
  it('names every occupied channel, with what is asked', async () => {
    const scene = await openScene();
    scene.sockets.counts = new Map([
      ['presence-lobby', 3],
      ['__proto__', 1],
    ]);
    await join(scene, 'presence-lobby', 'u1', '1.1');
    await join(scene, 'presence-lobby', 'u2', '1.2');
    expect((await read(scene, '/channels')).text).toBe('{"channels":{"presence-lobby":{},"__proto__":{}}}');
    const counts = await read(scene, '/channels', { info: 'subscription_count,odd' });
    expect(counts.text).toContain('"presence-lobby":{"subscription_count":3}');
    const query = { info: 'user_count,subscription_count', filter_by_prefix: 'presence-' };
    expect((await read(scene, '/channels', query)).body).toEqual({
      channels: { 'presence-lobby': { user_count: 2, subscription_count: 3 } },
    });
  });

  it('is empty when nothing is occupied, whatever the prefix', async () => {
    const scene = await openScene();
    expect((await read(scene, '/channels')).text).toBe('{"channels":{}}');
    expect((await read(scene, '/channels', { filter_by_prefix: '' })).text).toBe('{"channels":{}}');
  });

  it('counts users only where all are presence channels', async () => {
    const scene = await openScene();
    for (const filter_by_prefix of ['', 'pres', 'Presence-', 'private-']) {
      const answer = await read(scene, '/channels', { info: 'user_count', filter_by_prefix });
      expect(answer).toMatchObject(refused(400, 'invalid_input'));
    }
  });

  it('says so when some process did not answer', async () => {
    const scene = await openScene();
    scene.sockets.isSilent = true;
    const answer = await read(scene, '/channels');
    expect(answer).toMatchObject({ status: 200, body: { channels: {}, complete: false } });
    expect(answer.headers.get('x-partial-result')).toBe('true');
  });

  it('is 503 when members cannot be counted', async () => {
    const scene = await openScene();
    await scene.presence.close();
    const query = { info: 'user_count', filter_by_prefix: 'presence-' };
    const answer = await read(scene, '/channels', query);
    expect(answer).toMatchObject(refused(503, 'service_unavailable'));
    expect(answer.headers.get('retry-after')).toBe('1');
  });

  it('shares a question among callers, but never one that began before the call', async () => {
    const release: (() => void)[] = [];
    const slow = (real: Broker): Broker =>
      overriding<Broker>(real, {
        ask: async (kind, appId, about) => {
          const answer = await real.ask(kind, appId, about);
          await new Promise<void>((go) => release.push(go));
          return answer;
        },
      });
    const scene = await openScene({ broker: slow });
    const begun = () => expect.poll(() => scene.sockets.asked.length);
    const first = read(scene, '/channels');
    await begun().toBe(1);
    scene.sockets.counts = new Map([['late', 1]]);
    const later = Array.from({ length: 5 }, () => read(scene, '/channels', { info: 'subscription_count' }));
    const other = read(scene, '/channels', { filter_by_prefix: 'x' });
    await begun().toBe(2);
    release.splice(0).forEach((go) => go());
    expect((await first).text).toBe('{"channels":{}}');
    expect((await other).text).toBe('{"channels":{}}');
    await begun().toBeGreaterThan(2);
    const finishing = setInterval(() => release.splice(0).forEach((go) => go()), 1);
    const texts = new Set((await Promise.all(later)).map(({ text }) => text));
    clearInterval(finishing);
    expect([...texts]).toEqual(['{"channels":{"late":{"subscription_count":1}}}']);
    expect(scene.sockets.asked.length).toBeLessThan(7);
  });
});

describe('the state of a channel', () => {
  it('of one never used is unoccupied', async () => {
    const scene = await openScene();
    expect((await read(scene, '/channels/never')).text).toBe('{"occupied":false}');
    const all = { info: 'subscription_count,user_count,cache' };
    expect((await read(scene, '/channels/presence-cache-x', all)).body).toEqual({
      occupied: false,
      subscription_count: 0,
      user_count: 0,
    });
  });

  it('sums sockets and counts users once', async () => {
    const scene = await openScene();
    scene.sockets.counts = new Map([['presence-x', 4]]);
    await join(scene, 'presence-x', 'u1', '1.1');
    await join(scene, 'presence-x', 'u1', '1.2');
    const answer = await read(scene, '/channels/presence-x', { info: ' subscription_count , user_count ' });
    expect(answer.body).toEqual({ occupied: true, subscription_count: 4, user_count: 1 });
  });

  it('decodes the name once', async () => {
    const scene = await openScene();
    scene.sockets.counts = new Map([['#server-to-user-a@b', 1]]);
    expect((await read(scene, '/channels/%23server-to-user-a%40b')).body).toEqual({ occupied: true });
    expect(await read(scene, '/channels/a%2540b')).toMatchObject(refused(400, 'invalid_input'));
    expect(await read(scene, '/channels/%ff')).toMatchObject(refused(400, 'invalid_input'));
  });

  it('is refused for names that break the rules, and users of channels without', async () => {
    const scene = await openScene();
    for (const name of ['a%20b', 'a*', '%5Bmeta%5Da', 'c'.repeat(201)]) {
      expect(await read(scene, `/channels/${name}`)).toMatchObject(refused(400, 'invalid_input'));
    }
    expect(await read(scene, '/channels/a', { info: 'user_count' })).toMatchObject(
      refused(400, 'invalid_input'),
    );
  });

  it('says so when some process did not answer', async () => {
    const scene = await openScene();
    scene.sockets.isSilent = true;
    const answer = await read(scene, '/channels/a', { info: 'subscription_count' });
    expect(answer.body).toEqual({
      occupied: false,
      subscription_count: 0,
      subscription_count_complete: false,
    });
    expect(answer.headers.get('x-partial-result')).toBe('true');
  });

  it('is 503 when the last event cannot be read', async () => {
    const scene = await openScene();
    await scene.cache.close();
    expect(await read(scene, '/channels/cache-a', { info: 'cache' })).toMatchObject(
      refused(503, 'service_unavailable'),
    );
    expect(await read(scene, '/channels/cache-a')).toMatchObject({ status: 200 });
  });
});

describe('the users of a channel', () => {
  it('are listed once each', async () => {
    const scene = await openScene();
    expect((await read(scene, '/channels/presence-x/users')).text).toBe('{"users":[]}');
    await join(scene, 'presence-x', 'u1', '1.1');
    await join(scene, 'presence-x', 'u1', '1.2');
    await join(scene, 'presence-x', 'u2', '1.3');
    expect((await read(scene, '/channels/presence-x/users')).body).toEqual({
      users: [{ id: 'u1' }, { id: 'u2' }],
    });
  });

  it('are known of presence channels only', async () => {
    const scene = await openScene();
    for (const name of ['public', 'private-x', '%23server-to-user-1']) {
      expect(await read(scene, `/channels/${name}/users`)).toMatchObject(refused(400, 'invalid_input'));
    }
  });

  it('are 503 when nobody can tell', async () => {
    const scene = await openScene();
    await scene.presence.close();
    expect(await read(scene, '/channels/presence-x/users')).toMatchObject(
      refused(503, 'service_unavailable'),
    );
  });
});

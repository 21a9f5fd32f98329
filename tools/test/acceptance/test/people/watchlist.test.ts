import { expect, it } from 'vitest';
import type { Client } from '../harness/client.js';
import { onServer } from '../harness/every-app.js';
import { signinSuccess, watchlist } from '../harness/frames.js';
import type { ErrorFrame } from '../harness/frames.js';
import { openTenant } from '../harness/tenant.js';

const shop = openTenant('shop');
const quiet = openTenant('quiet', { features: { enable_watchlist_events: false } });

let count = 0;
/** A user nobody else has. */
const user = (): string => `user-${(count += 1)}`;

/** Signs in; resolves with the frames after the success. */
async function signin(client: Client, id: string, watched?: readonly unknown[]): Promise<string[]> {
  const userData = JSON.stringify({ id, watchlist: watched });
  client.askSignin(userData);
  expect(await client.nextText()).toBe(signinSuccess(userData));
  return client.pending();
}

onServer('a watchlist', { tenants: [shop, quiet] }, (node) => {
  it('is answered with who is online and who is not, in one frame', async () => {
    const [a, b] = [user(), user()];
    await signin(await node.connect(), a);
    const client = await node.connect();
    expect(await signin(client, user(), [a, b])).toEqual([watchlist(['online', [a]], ['offline', [b]])]);
  });

  it('has no empty groups', async () => {
    const [a, b] = [user(), user()];
    await signin(await node.connect(), a);
    expect(await signin(await node.connect(), user(), [a])).toEqual([watchlist(['online', [a]])]);
    expect(await signin(await node.connect(), user(), [b])).toEqual([watchlist(['offline', [b]])]);
  });

  it.each([
    ['none', undefined],
    ['an empty one', []],
    ['one of nothing but non-strings', [7, null, {}]],
  ])('that is %s is answered with nothing', async (_what, watched) => {
    expect(await signin(await node.connect(), user(), watched)).toEqual([]);
  });

  it('loses duplicates, non-strings and the user itself', async () => {
    const [me, a] = [user(), user()];
    expect(await signin(await node.connect(), me, [a, 7, me, a, null])).toEqual([
      watchlist(['offline', [a]]),
    ]);
    expect(await signin(await node.connect(), me, [me])).toEqual([]);
  });

  it('tells when a watched user comes with a first connection and goes with the last', async () => {
    const [watcher, uninterested] = [await node.connect(), await node.connect()];
    const watched = user();
    await signin(watcher, user(), [watched]);
    await signin(uninterested, user(), [user()]);
    const [first, second] = [await node.connect(), await node.connect()];
    await signin(first, watched);
    expect(await watcher.nextText()).toBe(watchlist(['online', [watched]]));
    await signin(second, watched);
    await first.close();
    const { status } = await node.api().request('GET', '/channels');
    expect(status).toBe(200);
    await second.close();
    expect(await watcher.nextText()).toBe(watchlist(['offline', [watched]]));
    expect(await watcher.pending()).toEqual([]);
    expect(await uninterested.pending()).toEqual([]);
  });

  it('tells when a connection becomes another user', async () => {
    const [watcher, changing] = [await node.connect(), await node.connect()];
    const [before, after] = [user(), user()];
    await signin(watcher, user(), [before, after]);
    await signin(changing, before);
    expect(await watcher.nextText()).toBe(watchlist(['online', [before]]));
    await signin(changing, after);
    const changes = [await watcher.nextText(), await watcher.nextText()].sort();
    expect(changes).toEqual([watchlist(['offline', [before]]), watchlist(['online', [after]])]);
  });

  it('is told for presence without a sign-in never', async () => {
    const [watcher, member] = [await node.connect(), await node.connect()];
    const watched = user();
    await signin(watcher, user(), [watched]);
    await member.join('presence-lobby', watched);
    expect(await watcher.pending()).toEqual([]);
  });

  it('of 100 is taken, of 101 ignored with error 4302, and the sign-in stands', async () => {
    const many = Array.from({ length: 101 }, () => user());
    expect(await signin(await node.connect(), user(), many.slice(1))).toEqual([
      watchlist(['offline', many.slice(1)]),
    ]);
    const client = await node.connect();
    const userData = JSON.stringify({ id: user(), watchlist: many });
    client.askSignin(userData);
    const texts = await client.pending();
    const error = texts.find((text) => text.startsWith('{"event":"pusher:error"'));
    expect(texts.filter((text) => text !== error)).toEqual([signinSuccess(userData)]);
    expect((JSON.parse(error ?? '{}') as ErrorFrame).data).toEqual({
      code: 4302,
      message: expect.any(String) as string,
    });
    await signin(await node.connect(), many[0] ?? '');
    expect(await client.pending()).toEqual([]);
  });

  it('is nothing to an app without them', async () => {
    const client = await node.connect(quiet);
    const watched = user();
    expect(await signin(client, user(), [watched])).toEqual([]);
    await signin(await node.connect(quiet), watched);
    expect(await client.pending()).toEqual([]);
  });
});

import type { OccupancySource, SubscriptionView } from '../src/index.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collectApps, totalsOf } from '../src/statistics/occupancy.js';

interface App {
  readonly sockets: readonly { user: string | null; meta: boolean; channels: readonly string[] }[];
}

/** Sockets as a plain list, the numbers counted the slow way. */
function source(apps: Record<string, App>): OccupancySource {
  const of = (id: string): App => apps[id] ?? { sockets: [] };
  return {
    appIds: () => Object.keys(apps),
    counters: (id) => ({
      connections: of(id).sockets.length,
      authenticated_connections: of(id).sockets.filter(({ user }) => user !== null).length,
      users: new Set(of(id).sockets.flatMap(({ user }) => (user === null ? [] : [user]))).size,
      connections_with_meta: of(id).sockets.filter(({ meta }) => meta).length,
    }),
    sockets: (id) =>
      of(id).sockets.map(({ user, channels }) =>
        channels.map((channel): SubscriptionView => {
          return { channel, presenceUserId: channel.startsWith('presence-') ? (user ?? 'guest') : null };
        }),
      ),
  };
}

const socket = fc.record({
  user: fc.option(fc.constantFrom('ada', 'bob', 'eve'), { nil: null }),
  meta: fc.boolean(),
  channels: fc.uniqueArray(fc.constantFrom('news', 'private-a', 'presence-a', 'presence-b', 'Presence-c')),
});
const apps = fc.dictionary(
  fc.constantFrom('shop', 'blog', 'B', 'a-1', 'a'),
  fc.record({ sockets: fc.array(socket, { maxLength: 12 }) }),
);

/** Number of turns of other work during a count. */
const turns = async (sockets: number, channels: number): Promise<number> => {
  const names = Array.from({ length: channels }, (_, i) => `c${i}`);
  const one = { user: null, meta: false, channels: names };
  let seen = 0;
  let running = true;
  const turn = (): void => {
    if (!running) return;
    seen += 1;
    setImmediate(turn);
  };
  setImmediate(turn);
  await collectApps(source({ shop: { sockets: Array.from({ length: sockets }, () => one) } }));
  running = false;
  return seen;
};

describe('occupancy', () => {
  it('agrees with counting everything at once', async () => {
    await fc.assert(
      fc.asyncProperty(apps, async (given) => {
        const collected = await collectApps(source(given));
        const occupied = Object.keys(given).filter((id) => (given[id]?.sockets.length ?? 0) > 0);
        expect(collected.map(({ app_id }) => app_id)).toEqual(occupied.sort());
        for (const { app_id, occupancy, connections } of collected) {
          const sockets = given[app_id]?.sockets ?? [];
          const pairs = sockets.flatMap(({ user, channels }) =>
            channels.map((channel) => ({ channel, user })),
          );
          const presence = pairs.filter(({ channel }) => channel.startsWith('presence-'));
          expect(connections).toBe(sockets.length);
          expect(occupancy).toEqual({
            channels: new Set(pairs.map(({ channel }) => channel)).size,
            subscriptions: pairs.length,
            presence_channels: new Set(presence.map(({ channel }) => channel)).size,
            presence_subscriptions: presence.length,
            presence_members: new Set(presence.map(({ channel, user }) => `${channel} ${user ?? 'guest'}`))
              .size,
          });
        }
      }),
    );
  });

  it('totals every number over the apps', async () => {
    await fc.assert(
      fc.asyncProperty(apps, async (given) => {
        const collected = await collectApps(source(given));
        const { apps: count, occupancy, ...rest } = totalsOf(collected);
        expect(count).toBe(collected.length);
        for (const [name, total] of Object.entries(rest)) {
          const values = collected.map((app) => app[name as keyof typeof rest]);
          expect(total).toBe(values.reduce((a, b) => a + b, 0));
        }
        for (const [name, total] of Object.entries(occupancy)) {
          const values = collected.map((app) => app.occupancy[name as keyof typeof occupancy]);
          expect(total).toBe(values.reduce((a, b) => a + b, 0));
        }
      }),
    );
  });

  it('counts two presence subscribers of one user as one member', async () => {
    const twice = { user: 'ada', meta: false, channels: ['presence-room'] };
    const [app] = await collectApps(source({ shop: { sockets: [twice, twice] } }));
    expect(app?.occupancy).toMatchObject({
      presence_subscriptions: 2,
      presence_members: 1,
      presence_channels: 1,
    });
  });

  it('lets the event loop go on every 1000 sockets, and for sockets with very many channels', async () => {
    expect(await turns(5500, 1)).toBeGreaterThanOrEqual(5);
    expect(await turns(30, 1000)).toBeGreaterThanOrEqual(3);
    expect(await turns(10, 1)).toBe(0);
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ONLINE_USERS, PresenceUnavailable, type Presence, type PresencePlace } from '../src/index.js';
import { followsTheModel, settlesWhateverIsConcurrent } from './interleavings.js';
import { as, brief, LOBBY } from './samples.js';
import { watched, type OpenWorld, type WatchedWorld } from './world.js';

const join = (presence: Presence, ...user: Parameters<typeof as>) => presence.join(as(...user), Infinity);
const at = (channel: string) => ({ place: { appId: 'shop', channel } });

/** What every driver must do. `runs`: how often the random cases are tried. */
export function presenceConformance(name: string, open: OpenWorld, runs: number): void {
  describe(`presence over ${name}`, () => {
    let world: WatchedWorld;
    let one: Presence;
    let other: Presence;
    beforeEach(async () => {
      world = await watched(open);
      ({ one, other } = world);
    });
    afterEach(() => world.close());

    const ids = async (place: PresencePlace = LOBBY) =>
      (await other.members(place)).map(({ userId }) => userId);

    describe('joining', () => {
      it('answers the members, the joiner included, and tells of a new user once', async () => {
        expect(await join(one, 'ada', '1.1')).toEqual({
          kind: 'joined',
          members: [{ userId: 'ada', userInfoText: '{"from":"1.1"}' }],
        });
        expect(world.told()).toEqual(['shop presence-lobby: ada added {"from":"1.1"} by 1.1']);
        const outcome = await join(other, 'bo', '2.1');
        expect(outcome).toMatchObject({ members: [{ userId: 'ada' }, { userId: 'bo' }] });
        expect(world.told()).toEqual(['shop presence-lobby: bo added {"from":"2.1"} by 2.1']);
      });

      it('tells nothing of further connections, whose info becomes the info of the user', async () => {
        await join(one, 'ada', '1.1');
        world.told();
        expect(await join(other, 'ada', '2.1')).toMatchObject({
          members: [{ userInfoText: '{"from":"2.1"}' }],
        });
        expect(world.told()).toEqual([]);
        expect(await one.members(LOBBY)).toEqual([{ userId: 'ada', userInfoText: '{"from":"2.1"}' }]);
      });

      it('changes nothing when a connection joins again, and answers the members', async () => {
        await join(one, 'ada', '1.1');
        await join(other, 'ada', '2.1');
        await join(other, 'bo', '2.2');
        world.told();
        const again = await join(one, 'ada', '1.1', { info: 'anew' });
        expect(again).toMatchObject({
          members: [{ userId: 'ada', userInfoText: '{"from":"2.1"}' }, { userId: 'bo' }],
        });
        await one.leave(as('ada', '1.1'), 0, 'left');
        await other.leave(as('ada', '2.1'), 0, 'left');
        expect(world.toldBriefly()).toEqual(['-ada']);
      });

      it('lists users in order of first join; who was removed comes last', async () => {
        for (const [index, user] of ['c', 'a', 'b'].entries()) await join(one, user, `1.${index}`);
        await join(other, 'c', '2.1');
        expect(await ids()).toEqual(['c', 'a', 'b']);
        await one.leave(as('a', '1.1'), 0, 'left');
        await join(other, 'a', '2.2');
        expect(await ids()).toEqual(['c', 'b', 'a']);
      });

      it('does not change an answer that was given', async () => {
        const outcome = await join(one, 'ada', '1.1');
        const members = await one.members(LOBBY);
        await join(other, 'bo', '2.1');
        await one.update(as('ada', '1.1', { info: 'anew' }));
        const asGiven = [{ userId: 'ada', userInfoText: '{"from":"1.1"}' }];
        expect([outcome, members]).toEqual([{ kind: 'joined', members: asGiven }, asGiven]);
      });

      it('keeps apart ids, channels and apps, whatever is in their names', async () => {
        const places = [
          { appId: 'a', channel: 'b:c' },
          { appId: 'a:b', channel: 'c' },
          { appId: 'a', channel: 'b' },
        ];
        const users = ['c', 'b:c', '__proto__', 'constructor', 'é ☃', 'null', ' c', '{c}', 'C'];
        for (const place of places) for (const user of users) await join(one, user, '1.1', { place });
        expect(world.told()).toHaveLength(places.length * users.length);
        for (const place of places) expect(await ids(place)).toEqual(users);
        await one.leave(as('c', '1.1', { place: { appId: 'a', channel: 'b' } }), 0, 'left');
        expect(await ids({ appId: 'a', channel: 'b' })).toEqual(users.slice(1));
        expect(await ids({ appId: 'a', channel: 'b:c' })).toEqual(users);
      });

      it('hands info on as it was given', async () => {
        const userInfoText = '{ "name" : "A\\u0064a", "n": 1.0, "ends": ":|\\u0000" }';
        await one.join({ ...as('ada', '1.1'), userInfoText }, Infinity);
        expect(await other.members(LOBBY)).toEqual([{ userId: 'ada', userInfoText }]);
      });
    });

    describe('the limit on members', () => {
      it('refuses new users, not further connections, and then changes nothing', async () => {
        await one.join(as('ada', '1.1'), 2);
        await other.join(as('bo', '2.1'), 2);
        world.told();
        expect(await one.join(as('cy', '1.2'), 2)).toEqual({ kind: 'full' });
        expect(await ids()).toEqual(['ada', 'bo']);
        expect(await one.update(as('cy', '1.2'))).toBe(false);
        expect(await other.join(as('ada', '2.2'), 2)).toMatchObject({ kind: 'joined' });
        expect(world.told()).toEqual([]);
        await other.leave(as('bo', '2.1'), 0, 'left');
        expect(await one.join(as('cy', '1.2'), 2)).toMatchObject({ kind: 'joined' });
      });

      it('counts leased users, and lets them back in', async () => {
        await one.join(as('ada', '1.1'), 1);
        await one.leave(as('ada', '1.1'), world.leaseMs, 'connection_lost');
        expect(await other.join(as('bo', '2.1'), 1)).toEqual({ kind: 'full' });
        expect(await other.join(as('ada', '2.2'), 1)).toMatchObject({ kind: 'joined' });
        expect(world.toldBriefly()).toEqual(['+ada']);
      });

      it('keeps everybody out when it is 0', async () => {
        expect(await one.join(as('ada', '1.1'), 0)).toEqual({ kind: 'full' });
        expect(await one.memberCounts('shop', [LOBBY.channel])).toEqual([0]);
      });

      it('holds when many come at once', async () => {
        const outcomes = await Promise.all(
          Array.from({ length: 20 }, (_, n) => (n % 2 ? one : other).join(as(`u${n}`, `1.${n}`), 5)),
        );
        expect(outcomes.filter(({ kind }) => kind === 'joined')).toHaveLength(5);
        expect(world.told()).toHaveLength(5);
        expect(await ids()).toHaveLength(5);
      });
    });

    describe('leaving', () => {
      it('removes a user with the last connection, wherever the others were', async () => {
        await join(one, 'ada', '1.1');
        await join(other, 'ada', '2.1');
        await join(other, 'bo', '2.2');
        await one.leave(as('ada', '1.1'), 0, 'left');
        expect(world.toldBriefly()).toEqual(['+ada', '+bo']);
        await other.leave(as('ada', '2.1'), 0, 'forced_disconnect');
        expect(world.told()).toEqual(['shop presence-lobby: ada removed, forced_disconnect']);
        expect(await ids()).toEqual(['bo']);
      });

      it('ignores connections that are not there', async () => {
        await one.leave(as('ada', '1.1'), 0, 'left');
        await join(one, 'ada', '1.1');
        await one.leave(as('ada', '1.2'), 0, 'left');
        await one.leave(as('bo', '1.1'), 0, 'left');
        await one.leave(as('ada', '1.1', { place: { ...LOBBY, channel: 'presence-hall' } }), 0, 'left');
        await one.leave(as('ada', '1.1', { place: { ...LOBBY, appId: 'blog' } }), world.leaseMs, 'left');
        expect(await ids()).toEqual(['ada']);
        await one.leave(as('ada', '1.1'), 0, 'left');
        await one.leave(as('ada', '1.1'), 0, 'left');
        await one.leave(as('ada', '1.1'), world.leaseMs, 'left');
        await world.pass(world.leaseMs);
        expect(world.toldBriefly()).toEqual(['+ada', '-ada']);
      });

      it('lets one connection be different users in different channels', async () => {
        const hall = { ...LOBBY, channel: 'presence-hall' };
        await join(one, 'ada', '1.1');
        await join(one, 'anna', '1.1', { place: hall });
        await one.leave(as('ada', '1.1'), 0, 'left');
        expect([await ids(), await ids(hall)]).toEqual([[], ['anna']]);
      });
    });

    describe('a lease', () => {
      it('keeps the user until it ends, and tells then why the connection went', async () => {
        await join(one, 'ada', '1.1');
        await join(one, 'bo', '1.2');
        world.told();
        await one.leave(as('ada', '1.1'), world.leaseMs, 'connection_lost');
        expect(world.told()).toEqual([]);
        expect(await ids()).toEqual(['ada', 'bo']);
        expect(await other.memberCounts('shop', [LOBBY.channel])).toEqual([2]);
        expect(await other.present(LOBBY, ['ada'])).toEqual(new Set(['ada']));
        await world.pass(world.leaseMs);
        expect(world.told()).toEqual(['shop presence-lobby: ada removed, connection_lost']);
        expect(await ids()).toEqual(['bo']);
        expect(await other.present(LOBBY, ['ada'])).toEqual(new Set());
      });

      it('is cancelled by a join anywhere, without a word; the user keeps the place and gets the info', async () => {
        await join(one, 'ada', '1.1');
        await join(one, 'bo', '1.2');
        await one.leave(as('ada', '1.1'), world.leaseMs, 'connection_lost');
        world.told();
        expect(await join(other, 'ada', '2.1')).toMatchObject({
          members: [{ userId: 'ada', userInfoText: '{"from":"2.1"}' }, { userId: 'bo' }],
        });
        await world.pass(world.leaseMs);
        expect(world.told()).toEqual([]);
        expect(await ids()).toEqual(['ada', 'bo']);
        await other.leave(as('ada', '2.1'), 0, 'left');
        expect(world.toldBriefly()).toEqual(['-ada']);
      });

      it('begins with the last connection only', async () => {
        await join(one, 'ada', '1.1');
        await join(other, 'ada', '2.1');
        await one.leave(as('ada', '1.1'), world.leaseMs, 'connection_lost');
        await world.pass(world.leaseMs);
        expect(world.toldBriefly()).toEqual(['+ada']);
        await other.leave(as('ada', '2.1'), world.leaseMs, 'connection_lost');
        expect(world.toldBriefly()).toEqual([]);
        await world.pass(world.leaseMs);
        expect(world.toldBriefly()).toEqual(['-ada']);
      });

      it('is neither shortened nor told by a connection that has gone', async () => {
        await join(one, 'ada', '1.1');
        await one.leave(as('ada', '1.1'), world.leaseMs, 'connection_lost');
        await one.leave(as('ada', '1.1'), 0, 'left');
        expect(await one.update(as('ada', '1.1', { info: 'away' }))).toBe(false);
        expect(await other.members(LOBBY)).toEqual([{ userId: 'ada', userInfoText: '{"from":"1.1"}' }]);
        expect(world.toldBriefly()).toEqual(['+ada']);
      });
    });

    describe('updating', () => {
      it('replaces the info for everybody, and tells each time', async () => {
        await join(one, 'ada', '1.1');
        await join(other, 'ada', '2.1');
        world.told();
        expect(await one.update(as('ada', '1.1', { info: { status: 'away' } }))).toBe(true);
        expect(await other.update(as('ada', '2.1', { info: { status: 'away' } }))).toBe(true);
        expect(world.told()).toEqual([
          'shop presence-lobby: ada updated {"status":"away"} by 1.1',
          'shop presence-lobby: ada updated {"status":"away"} by 2.1',
        ]);
        expect(await join(one, 'bo', '1.2')).toMatchObject({
          members: [{ userInfoText: '{"status":"away"}' }, { userId: 'bo' }],
        });
      });

      it('is refused to connections that are not there', async () => {
        expect(await one.update(as('ada', '1.1'))).toBe(false);
        await join(one, 'ada', '1.1');
        world.told();
        expect(await one.update(as('ada', '1.2'))).toBe(false);
        expect(await one.update(as('bo', '1.1'))).toBe(false);
        expect(world.told()).toEqual([]);
        expect(await one.members(LOBBY)).toEqual([{ userId: 'ada', userInfoText: '{"from":"1.1"}' }]);
      });
    });

    describe('asking', () => {
      it('counts users per channel, in the order asked', async () => {
        await join(one, 'ada', '1.1', at('x'));
        await join(other, 'ada', '2.1', at('x'));
        await join(other, 'bo', '2.1', at('y'));
        await join(other, 'cy', '2.2', at('y'));
        expect(await one.memberCounts('shop', ['y', 'nowhere', 'x', 'y'])).toEqual([2, 0, 1, 2]);
        expect(await one.memberCounts('shop', [])).toEqual([]);
        expect(await one.memberCounts('blog', ['x'])).toEqual([0]);
      });

      it('answers which users are there', async () => {
        await join(one, 'ada', '1.1');
        await join(other, 'bo', '2.1');
        expect(await one.present(LOBBY, ['bo', 'cy', 'bo', '__proto__'])).toEqual(new Set(['bo']));
        expect(await one.present(LOBBY, [])).toEqual(new Set());
        expect(await one.present({ ...LOBBY, channel: 'nowhere' }, ['ada'])).toEqual(new Set());
      });

      it('lists nobody where nobody is', async () => {
        expect(await one.members(LOBBY)).toEqual([]);
      });
    });

    it('keeps the signed-in users of an app, of whom no joiner is told', async () => {
      const place = { appId: 'shop', channel: ONLINE_USERS };
      expect(await join(one, 'ada', '1.1', { place })).toEqual({ kind: 'joined', members: [] });
      expect(await join(other, 'ada', '2.1', { place })).toEqual({ kind: 'joined', members: [] });
      expect(await join(other, 'bo', '2.2', { place })).toEqual({ kind: 'joined', members: [] });
      expect(await ids(place)).toEqual(['ada', 'bo']);
      expect(await one.present(place, ['ada', 'bo', 'cy'])).toEqual(new Set(['ada', 'bo']));
      await one.leave(as('ada', '1.1', { place }), 0, 'left');
      await other.leave(as('ada', '2.1', { place }), 0, 'left');
      expect(world.changes.map((change) => change.channel)).toEqual([
        ONLINE_USERS,
        ONLINE_USERS,
        ONLINE_USERS,
      ]);
      expect(world.toldBriefly()).toEqual(['+ada', '+bo', '-ada']);
    });

    it('has one observer in a process', () => {
      expect(() => one.observe(() => {})).toThrow('observer');
    });

    it('has told of a change by the time the operation ends', async () => {
      let heard: string[] = [];
      await join(one, 'ada', '1.1').then(() => (heard = world.changes.map(brief)));
      expect(heard).toEqual(['+ada']);
    });

    it('is healthy until it is closed, then gives leases up without a word and refuses', async () => {
      await join(one, 'ada', '1.1');
      await join(one, 'bo', '1.2');
      await one.leave(as('ada', '1.1'), world.leaseMs, 'connection_lost');
      world.told();
      expect(await one.health()).toBeNull();
      for (const instance of world.instances) await instance.close();
      await one.close();
      await world.pass(world.leaseMs);
      expect(world.told()).toEqual([]);
      expect(await one.health()).not.toBeNull();
      const refused = [
        join(one, 'cy', '1.3'),
        one.leave(as('bo', '1.2'), 0, 'left'),
        one.update(as('bo', '1.2')),
        one.members(LOBBY),
        one.memberCounts('shop', [LOBBY.channel]),
        one.present(LOBBY, ['bo']),
      ];
      for (const outcome of refused) await expect(outcome).rejects.toBeInstanceOf(PresenceUnavailable);
      expect(world.told()).toEqual([]);
    });

    followsTheModel(open, runs);
    settlesWhateverIsConcurrent(open, runs);
  });
}

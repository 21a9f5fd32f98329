import { describe, expect, it } from 'vitest';
import { as, LOBBY } from '../samples.js';
import { join, type Scene } from './scene.js';

/** Reports of joining connections. */
export function joining(scene: Scene): void {
  describe('joining', () => {
    it('answers the members, the joiner included, and tells of a new user once', async () => {
      expect(await join(scene.one, 'ada', '1.1')).toEqual({
        kind: 'joined',
        members: [{ userId: 'ada', userInfoText: '{"from":"1.1"}', socketId: '1.1' }],
        serial: expect.any(Number),
      });
      expect(scene.world.told()).toEqual(['shop presence-lobby: ada added {"from":"1.1"} by 1.1']);
      const outcome = await join(scene.other, 'bo', '2.1');
      expect(outcome).toMatchObject({ members: [{ userId: 'ada' }, { userId: 'bo' }] });
      expect(scene.world.told()).toEqual(['shop presence-lobby: bo added {"from":"2.1"} by 2.1']);
    });

    it('tells nothing of further connections, whose info becomes the info of the user', async () => {
      await join(scene.one, 'ada', '1.1');
      scene.world.told();
      expect(await join(scene.other, 'ada', '2.1')).toMatchObject({
        members: [{ userInfoText: '{"from":"2.1"}' }],
      });
      expect(scene.world.told()).toEqual([]);
      expect(await scene.one.members(LOBBY)).toEqual([
        { userId: 'ada', userInfoText: '{"from":"2.1"}', socketId: '1.1' },
      ]);
    });

    it('changes nothing when a connection joins again, and answers the members', async () => {
      await join(scene.one, 'ada', '1.1');
      await join(scene.other, 'ada', '2.1');
      await join(scene.other, 'bo', '2.2');
      scene.world.told();
      const again = await join(scene.one, 'ada', '1.1', { info: 'anew' });
      expect(again).toMatchObject({
        members: [{ userId: 'ada', userInfoText: '{"from":"2.1"}' }, { userId: 'bo' }],
      });
      await scene.one.leave(as('ada', '1.1'), 0, 'left');
      await scene.other.leave(as('ada', '2.1'), 0, 'left');
      expect(scene.world.toldBriefly()).toEqual(['-ada']);
    });

    it('lists users in order of first join; who was removed comes last', async () => {
      for (const [index, user] of ['c', 'a', 'b'].entries()) await join(scene.one, user, `1.${index}`);
      await join(scene.other, 'c', '2.1');
      expect(await scene.ids()).toEqual(['c', 'a', 'b']);
      await scene.one.leave(as('a', '1.1'), 0, 'left');
      await join(scene.other, 'a', '2.2');
      expect(await scene.ids()).toEqual(['c', 'b', 'a']);
    });

    it('does not change an answer that was given', async () => {
      const outcome = await join(scene.one, 'ada', '1.1');
      const members = await scene.one.members(LOBBY);
      await join(scene.other, 'bo', '2.1');
      await scene.one.update(as('ada', '1.1', { info: 'anew' }));
      const asGiven = [{ userId: 'ada', userInfoText: '{"from":"1.1"}', socketId: '1.1' }];
      expect([outcome, members]).toEqual([
        { kind: 'joined', members: asGiven, serial: expect.any(Number) },
        asGiven,
      ]);
    });

    it('keeps apart ids, channels and apps, whatever is in their names', async () => {
      const places = [
        { appId: 'a', channel: 'b:c' },
        { appId: 'a:b', channel: 'c' },
        { appId: 'a', channel: 'b' },
      ];
      const users = ['c', 'b:c', '__proto__', 'constructor', 'é ☃', 'null', ' c', '{c}', 'C'];
      for (const place of places) for (const user of users) await join(scene.one, user, '1.1', { place });
      expect(scene.world.told()).toHaveLength(places.length * users.length);
      for (const place of places) expect(await scene.ids(place)).toEqual(users);
      await scene.one.leave(as('c', '1.1', { place: { appId: 'a', channel: 'b' } }), 0, 'left');
      expect(await scene.ids({ appId: 'a', channel: 'b' })).toEqual(users.slice(1));
      expect(await scene.ids({ appId: 'a', channel: 'b:c' })).toEqual(users);
    });

    it('hands info on as it was given', async () => {
      const userInfoText = '{ "name" : "A\\u0064a", "n": 1.0, "ends": ":|\\u0000" }';
      await scene.one.join({ ...as('ada', '1.1'), userInfoText }, Infinity);
      expect(await scene.other.members(LOBBY)).toEqual([{ userId: 'ada', userInfoText, socketId: '1.1' }]);
    });
  });
}

import { describe, expect, it } from 'vitest';
import { ONLINE_USERS } from '../../src/index.js';
import { as, LOBBY } from '../samples.js';
import { at, join, type Scene } from './scene.js';

/** Queries on places. */
export function asking(scene: Scene): void {
  describe('asking', () => {
    it('counts users per channel, in the order asked', async () => {
      await join(scene.one, 'ada', '1.1', at('x'));
      await join(scene.other, 'ada', '2.1', at('x'));
      await join(scene.other, 'bo', '2.1', at('y'));
      await join(scene.other, 'cy', '2.2', at('y'));
      expect(await scene.one.memberCounts('shop', ['y', 'nowhere', 'x', 'y'])).toEqual([2, 0, 1, 2]);
      expect(await scene.one.memberCounts('shop', [])).toEqual([]);
      expect(await scene.one.memberCounts('blog', ['x'])).toEqual([0]);
    });

    it('answers which users are there', async () => {
      await join(scene.one, 'ada', '1.1');
      await join(scene.other, 'bo', '2.1');
      expect(await scene.one.present(LOBBY, ['bo', 'cy', 'bo', '__proto__'])).toEqual(new Set(['bo']));
      expect(await scene.one.present(LOBBY, [])).toEqual(new Set());
      expect(await scene.one.present({ ...LOBBY, channel: 'nowhere' }, ['ada'])).toEqual(new Set());
    });

    it('shows who is there as of a serial, everybody or some', async () => {
      expect((await scene.one.look(LOBBY)).members).toEqual([]);
      await join(scene.one, 'ada', '1.1');
      const joined = await join(scene.other, 'bo', '2.1');
      const { members, serial } = await scene.one.look(LOBBY);
      expect(members.map(({ userId }) => userId)).toEqual(['ada', 'bo']);
      expect(joined.kind === 'joined' && serial >= joined.serial).toBe(true);
      const some = await scene.other.look(LOBBY, ['bo', 'cy', '__proto__']);
      expect(some.members.map(({ userId }) => userId)).toEqual(['bo']);
      expect((await scene.one.look(LOBBY, [])).members).toEqual([]);
      await scene.one.leave(as('ada', '1.1'), 0, 'left');
      const [, , removed] = scene.world.changes;
      expect(removed?.serial).toBeGreaterThan(serial);
      expect((await scene.one.look(LOBBY)).serial).toBeGreaterThanOrEqual(removed?.serial ?? Infinity);
    });

    it('lists nobody where nobody is', async () => {
      expect(await scene.one.members(LOBBY)).toEqual([]);
    });
  });

  it('keeps the signed-in users of an app, of whom no joiner is told', async () => {
    const place = { appId: 'shop', channel: ONLINE_USERS };
    const nobody = { kind: 'joined', members: [], serial: expect.any(Number) };
    expect(await join(scene.one, 'ada', '1.1', { place })).toEqual(nobody);
    expect(await join(scene.other, 'ada', '2.1', { place })).toEqual(nobody);
    expect(await join(scene.other, 'bo', '2.2', { place })).toEqual(nobody);
    expect(await scene.ids(place)).toEqual(['ada', 'bo']);
    expect(await scene.one.present(place, ['ada', 'bo', 'cy'])).toEqual(new Set(['ada', 'bo']));
    await scene.one.leave(as('ada', '1.1', { place }), 0, 'left');
    await scene.other.leave(as('ada', '2.1', { place }), 0, 'left');
    expect(scene.world.changes.map((change) => change.channel)).toEqual([
      ONLINE_USERS,
      ONLINE_USERS,
      ONLINE_USERS,
    ]);
    expect(scene.world.toldBriefly()).toEqual(['+ada', '+bo', '-ada']);
  });
}

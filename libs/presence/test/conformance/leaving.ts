import { describe, expect, it } from 'vitest';
import { as, LOBBY } from '../samples.js';
import { join, type Scene } from './scene.js';

/** Reports of leaving connections. */
export function leaving(scene: Scene): void {
  describe('leaving', () => {
    it('removes a user with the last connection, wherever the others were', async () => {
      await join(scene.one, 'ada', '1.1');
      await join(scene.other, 'ada', '2.1');
      await join(scene.other, 'bo', '2.2');
      await scene.one.leave(as('ada', '1.1'), 0, 'left');
      expect(scene.world.toldBriefly()).toEqual(['+ada', '+bo']);
      await scene.other.leave(as('ada', '2.1'), 0, 'forced_disconnect');
      expect(scene.world.told()).toEqual([
        'shop presence-lobby: ada removed {"from":"2.1"}, forced_disconnect',
      ]);
      expect(await scene.ids()).toEqual(['bo']);
    });

    it('tells by which connection the user had come, whichever is the last to go', async () => {
      await join(scene.one, 'ada', '1.1');
      await join(scene.other, 'ada', '2.1');
      await scene.one.leave(as('ada', '1.1'), 0, 'left');
      expect((await scene.one.look(LOBBY)).members).toMatchObject([{ userId: 'ada', socketId: '1.1' }]);
      await scene.other.update(as('ada', '2.1', { info: 'anew' }));
      await scene.other.leave(as('ada', '2.1'), scene.world.leaseMs, 'connection_lost');
      await scene.world.pass(scene.world.leaseMs);
      const [added, updated, removed] = scene.world.changes;
      expect(added).toMatchObject({ kind: 'added', socketId: '1.1', member: { socketId: '1.1' } });
      expect(updated).toMatchObject({ kind: 'updated', socketId: '2.1', member: { socketId: '1.1' } });
      expect(removed).toMatchObject({ kind: 'removed', cameBy: '1.1' });
    });

    it('tells what the user said last, wherever it said so', async () => {
      await join(scene.one, 'ada', '1.1');
      await join(scene.other, 'ada', '2.1');
      await scene.one.update(as('ada', '1.1', { info: 'one: "é"\n\t%' }));
      await scene.one.leave(as('ada', '1.1'), 0, 'left');
      await join(scene.one, 'bo', '1.2', { info: { text: 'x'.repeat(5000) } });
      await scene.other.leave(as('ada', '2.1'), scene.world.leaseMs, 'connection_lost');
      await scene.one.leave(as('bo', '1.2'), 0, 'left');
      await scene.world.pass(scene.world.leaseMs);
      expect(scene.world.changes.slice(-2)).toMatchObject([
        { userId: 'bo', userInfoText: JSON.stringify({ text: 'x'.repeat(5000) }) },
        { userId: 'ada', userInfoText: '"one: \\"é\\"\\n\\t%"' },
      ]);
    });

    it('tells the last words of the last connection, of one before nothing', async () => {
      await join(scene.one, 'ada', '1.1');
      await join(scene.other, 'ada', '2.1');
      await scene.one.leave(as('ada', '1.1'), 0, 'left', '"one"');
      expect(await scene.one.members(LOBBY)).toMatchObject([{ userInfoText: '{"from":"2.1"}' }]);
      await scene.other.leave(as('ada', '2.1'), 0, 'left', '"two"');
      await join(scene.one, 'bo', '1.1');
      await scene.one.leave(as('bo', '1.1'), scene.world.leaseMs, 'connection_lost', '"soon"');
      expect(await scene.other.members(LOBBY)).toMatchObject([{ userInfoText: '"soon"' }]);
      await scene.world.pass(scene.world.leaseMs);
      expect(scene.world.changes.filter(({ kind }) => kind === 'removed')).toMatchObject([
        { userId: 'ada', userInfoText: '"two"' },
        { userId: 'bo', userInfoText: '"soon"' },
      ]);
    });

    it('ignores connections that are not there', async () => {
      await scene.one.leave(as('ada', '1.1'), 0, 'left');
      await join(scene.one, 'ada', '1.1');
      await scene.one.leave(as('ada', '1.2'), 0, 'left');
      await scene.one.leave(as('bo', '1.1'), 0, 'left');
      await scene.one.leave(as('ada', '1.1', { place: { ...LOBBY, channel: 'presence-hall' } }), 0, 'left');
      await scene.one.leave(
        as('ada', '1.1', { place: { ...LOBBY, appId: 'blog' } }),
        scene.world.leaseMs,
        'left',
      );
      expect(await scene.ids()).toEqual(['ada']);
      await scene.one.leave(as('ada', '1.1'), 0, 'left');
      await scene.one.leave(as('ada', '1.1'), 0, 'left');
      await scene.one.leave(as('ada', '1.1'), scene.world.leaseMs, 'left');
      await scene.world.pass(scene.world.leaseMs);
      expect(scene.world.toldBriefly()).toEqual(['+ada', '-ada']);
    });

    it('lets one connection be different users in different channels', async () => {
      const hall = { ...LOBBY, channel: 'presence-hall' };
      await join(scene.one, 'ada', '1.1');
      await join(scene.one, 'anna', '1.1', { place: hall });
      await scene.one.leave(as('ada', '1.1'), 0, 'left');
      expect([await scene.ids(), await scene.ids(hall)]).toEqual([[], ['anna']]);
    });
  });

  describe('a lease', () => {
    it('keeps the user until it ends, and tells then why the connection went', async () => {
      await join(scene.one, 'ada', '1.1');
      await join(scene.one, 'bo', '1.2');
      scene.world.told();
      await scene.one.leave(as('ada', '1.1'), scene.world.leaseMs, 'connection_lost');
      expect(scene.world.told()).toEqual([]);
      expect(await scene.ids()).toEqual(['ada', 'bo']);
      expect(await scene.other.memberCounts('shop', [LOBBY.channel])).toEqual([2]);
      expect(await scene.other.present(LOBBY, ['ada'])).toEqual(new Set(['ada']));
      await scene.world.pass(scene.world.leaseMs);
      expect(scene.world.told()).toEqual([
        'shop presence-lobby: ada removed {"from":"1.1"}, connection_lost',
      ]);
      expect(await scene.ids()).toEqual(['bo']);
      expect(await scene.other.present(LOBBY, ['ada'])).toEqual(new Set());
    });

    it('is cancelled by a join anywhere, without a word; the user keeps the place and gets the info', async () => {
      await join(scene.one, 'ada', '1.1');
      await join(scene.one, 'bo', '1.2');
      await scene.one.leave(as('ada', '1.1'), scene.world.leaseMs, 'connection_lost');
      scene.world.told();
      expect(await join(scene.other, 'ada', '2.1')).toMatchObject({
        members: [{ userId: 'ada', userInfoText: '{"from":"2.1"}' }, { userId: 'bo' }],
      });
      await scene.world.pass(scene.world.leaseMs);
      expect(scene.world.told()).toEqual([]);
      expect(await scene.ids()).toEqual(['ada', 'bo']);
      await scene.other.leave(as('ada', '2.1'), 0, 'left');
      expect(scene.world.toldBriefly()).toEqual(['-ada']);
    });

    it('begins with the last connection only', async () => {
      await join(scene.one, 'ada', '1.1');
      await join(scene.other, 'ada', '2.1');
      await scene.one.leave(as('ada', '1.1'), scene.world.leaseMs, 'connection_lost');
      await scene.world.pass(scene.world.leaseMs);
      expect(scene.world.toldBriefly()).toEqual(['+ada']);
      await scene.other.leave(as('ada', '2.1'), scene.world.leaseMs, 'connection_lost');
      expect(scene.world.toldBriefly()).toEqual([]);
      await scene.world.pass(scene.world.leaseMs);
      expect(scene.world.toldBriefly()).toEqual(['-ada']);
    });

    it('is neither shortened nor told by a connection that has gone', async () => {
      await join(scene.one, 'ada', '1.1');
      await scene.one.leave(as('ada', '1.1'), scene.world.leaseMs, 'connection_lost');
      await scene.one.leave(as('ada', '1.1'), 0, 'left');
      expect(await scene.one.update(as('ada', '1.1', { info: 'away' }))).toBe(false);
      expect(await scene.other.members(LOBBY)).toEqual([
        { userId: 'ada', userInfoText: '{"from":"1.1"}', socketId: '1.1' },
      ]);
      expect(scene.world.toldBriefly()).toEqual(['+ada']);
    });
  });
}

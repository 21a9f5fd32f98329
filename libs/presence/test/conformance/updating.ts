import { describe, expect, it } from 'vitest';
import { as, LOBBY } from '../samples.js';
import { join, type Scene } from './scene.js';

/** Effects of updates. */
export function updating(scene: Scene): void {
  describe('updating', () => {
    it('replaces the info for everybody, and tells each time', async () => {
      await join(scene.one, 'ada', '1.1');
      await join(scene.other, 'ada', '2.1');
      scene.world.told();
      expect(await scene.one.update(as('ada', '1.1', { info: { status: 'away' } }))).toBe(true);
      expect(await scene.other.update(as('ada', '2.1', { info: { status: 'away' } }))).toBe(true);
      expect(scene.world.told()).toEqual([
        'shop presence-lobby: ada updated {"status":"away"} by 1.1',
        'shop presence-lobby: ada updated {"status":"away"} by 2.1',
      ]);
      expect(await join(scene.one, 'bo', '1.2')).toMatchObject({
        members: [{ userInfoText: '{"status":"away"}' }, { userId: 'bo' }],
      });
    });

    it('is refused to connections that are not there', async () => {
      expect(await scene.one.update(as('ada', '1.1'))).toBe(false);
      await join(scene.one, 'ada', '1.1');
      scene.world.told();
      expect(await scene.one.update(as('ada', '1.2'))).toBe(false);
      expect(await scene.one.update(as('bo', '1.1'))).toBe(false);
      expect(scene.world.told()).toEqual([]);
      expect(await scene.one.members(LOBBY)).toEqual([
        { userId: 'ada', userInfoText: '{"from":"1.1"}', socketId: '1.1' },
      ]);
    });
  });
}

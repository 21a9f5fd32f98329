import { describe, expect, it } from 'vitest';
import { as, LOBBY } from '../samples.js';
import { type Scene } from './scene.js';

/** Behaviour of a full channel. */
export function memberLimit(scene: Scene): void {
  describe('the limit on members', () => {
    it('refuses new users, not further connections, and then changes nothing', async () => {
      await scene.one.join(as('ada', '1.1'), 2);
      await scene.other.join(as('bo', '2.1'), 2);
      scene.world.told();
      expect(await scene.one.join(as('cy', '1.2'), 2)).toEqual({ kind: 'full' });
      expect(await scene.ids()).toEqual(['ada', 'bo']);
      expect(await scene.one.update(as('cy', '1.2'))).toBe(false);
      expect(await scene.other.join(as('ada', '2.2'), 2)).toMatchObject({ kind: 'joined' });
      expect(scene.world.told()).toEqual([]);
      await scene.other.leave(as('bo', '2.1'), 0, 'left');
      expect(await scene.one.join(as('cy', '1.2'), 2)).toMatchObject({ kind: 'joined' });
    });

    it('counts leased users, and lets them back in', async () => {
      await scene.one.join(as('ada', '1.1'), 1);
      await scene.one.leave(as('ada', '1.1'), scene.world.leaseMs, 'connection_lost');
      expect(await scene.other.join(as('bo', '2.1'), 1)).toEqual({ kind: 'full' });
      expect(await scene.other.join(as('ada', '2.2'), 1)).toMatchObject({ kind: 'joined' });
      expect(scene.world.toldBriefly()).toEqual(['+ada']);
    });

    it('keeps everybody out when it is 0', async () => {
      expect(await scene.one.join(as('ada', '1.1'), 0)).toEqual({ kind: 'full' });
      expect(await scene.one.memberCounts('shop', [LOBBY.channel])).toEqual([0]);
    });

    it('holds when many come at once', async () => {
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          (n % 2 ? scene.one : scene.other).join(as(`u${n}`, `1.${n}`), 5),
        ),
      );
      expect(outcomes.filter(({ kind }) => kind === 'joined')).toHaveLength(5);
      expect(scene.world.told()).toHaveLength(5);
      expect(await scene.ids()).toHaveLength(5);
    });
  });
}

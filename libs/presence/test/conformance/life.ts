import { expect, it } from 'vitest';
import { PresenceUnavailable } from '../../src/index.js';
import { as, brief, LOBBY } from '../samples.js';
import { join, type Scene } from './scene.js';

/** Observing, health and the end. */
export function life(scene: Scene): void {
  it('has one observer in a process', () => {
    expect(() => scene.one.observe(() => {})).toThrow('observer');
  });

  it('has told of a change by the time the operation ends', async () => {
    let heard: string[] = [];
    await join(scene.one, 'ada', '1.1').then(() => (heard = scene.world.changes.map(brief)));
    expect(heard).toEqual(['+ada']);
  });

  it('is healthy until it is closed, then gives leases up without a word and refuses', async () => {
    await join(scene.one, 'ada', '1.1');
    await join(scene.one, 'bo', '1.2');
    await scene.one.leave(as('ada', '1.1'), scene.world.leaseMs, 'connection_lost');
    scene.world.told();
    expect(await scene.one.health()).toBeNull();
    for (const instance of scene.world.instances) await instance.close();
    await scene.one.close();
    await scene.world.pass(scene.world.leaseMs);
    expect(scene.world.told()).toEqual([]);
    expect(await scene.one.health()).not.toBeNull();
    const refused = [
      join(scene.one, 'cy', '1.3'),
      scene.one.leave(as('bo', '1.2'), 0, 'left'),
      scene.one.update(as('bo', '1.2')),
      scene.one.members(LOBBY),
      scene.one.memberCounts('shop', [LOBBY.channel]),
      scene.one.present(LOBBY, ['bo']),
    ];
    for (const outcome of refused) await expect(outcome).rejects.toBeInstanceOf(PresenceUnavailable);
    expect(scene.world.told()).toEqual([]);
  });
}

import { describe, expect, it } from 'vitest';
import { MemoryPresence, type PresenceChange } from '../src/index.js';
import { ManualClock } from './manual-clock.js';
import { as, brief, LOBBY } from './samples.js';

function scene() {
  const clock = new ManualClock();
  const faults: [unknown, string][] = [];
  const presence = new MemoryPresence({
    clock,
    onObserverFault: (error, change) => faults.push([error, brief(change)]),
  });
  return { clock, presence, faults };
}

describe('the observer in one process', () => {
  it('is told within the call, before anybody else runs', () => {
    const { presence } = scene();
    const told: string[] = [];
    presence.observe((change) => told.push(brief(change)));
    void presence.join(as('ada', '1.1'), Infinity);
    void presence.update(as('ada', '1.1', { info: 'away' }));
    void presence.leave(as('ada', '1.1'), 0, 'left');
    expect(told).toEqual(['+ada', '~ada', '-ada']);
  });

  it('changes nothing by throwing; each fault is reported with its change', async () => {
    const { clock, presence, faults } = scene();
    const error = new Error('broken');
    presence.observe(() => {
      throw error;
    });
    expect(await presence.join(as('ada', '1.1'), Infinity)).toMatchObject({ kind: 'joined' });
    expect(await presence.join(as('bo', '1.2'), Infinity)).toMatchObject({ kind: 'joined' });
    expect(await presence.update(as('ada', '1.1', { info: 'away' }))).toBe(true);
    await presence.leave(as('ada', '1.1'), 0, 'left');
    await presence.leave(as('bo', '1.2'), 1000, 'connection_lost');
    clock.advance(1000);
    expect(faults).toEqual([
      [error, '+ada'],
      [error, '+bo'],
      [error, '~ada'],
      [error, '-ada'],
      [error, '-bo'],
    ]);
    expect(await presence.members(LOBBY)).toEqual([]);
    expect(clock.timers).toBe(0);
  });

  it('may act on what it is told: the next change is told after this one', async () => {
    const { clock, presence } = scene();
    const told: string[] = [];
    const acts: Promise<unknown>[] = [];
    const onChange = (change: PresenceChange): void => {
      told.push(brief(change));
      if (change.kind === 'added' && told.length === 1)
        acts.push(presence.leave(as('ada', '1.1'), 5, 'left'));
      if (change.kind === 'removed') acts.push(presence.join(as('ada', '1.2'), Infinity));
    };
    presence.observe(onChange);
    expect(await presence.join(as('ada', '1.1'), Infinity)).toMatchObject({ members: [{ userId: 'ada' }] });
    clock.advance(5);
    await Promise.all(acts);
    expect(told).toEqual(['+ada', '-ada', '+ada']);
    expect(await presence.members(LOBBY)).toMatchObject([{ userInfoText: '{"from":"1.2"}' }]);
  });

  it('may be absent', async () => {
    const { presence, faults } = scene();
    await presence.join(as('ada', '1.1'), Infinity);
    await presence.leave(as('ada', '1.1'), 0, 'left');
    expect(faults).toEqual([]);
  });
});

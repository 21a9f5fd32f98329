import { expect, it } from 'vitest';
import { Turnstile } from '../../src/reads/turnstile.js';
import { ManualClock, settled } from '../manual-clock.js';
import { Gate } from '../lane/scene.js';

it('turns away who finds no room, and who has waited too long, and keeps its places', async () => {
  const clock = new ManualClock();
  const turnstile = new Turnstile(clock, { maxInside: 1, maxWaiting: 2, maxWaitMs: 2000 });
  const gate = new Gate();
  const begun: string[] = [];
  const pass = (name: string, until: Promise<void> = Promise.resolve()) =>
    turnstile.pass(async () => {
      begun.push(name);
      await until;
      return name;
    });
  const first = pass('first', gate.opened);
  const second = pass('second');
  await clock.pass(1500);
  const third = pass('third');
  expect(await pass('fourth')).toBeNull();
  await clock.pass(1000);
  gate.open();
  expect(await Promise.all([first, second, third])).toEqual(['first', null, 'third']);
  await settled();
  expect(await pass('fifth')).toBe('fifth');
  expect(begun).toEqual(['first', 'third', 'fifth']);
});

import { describe, expect, it } from 'vitest';
import { settled } from '../manual-clock.js';
import { publishOf } from '../samples.js';
import { fannedOut, Gate, LaneScene, lostAnswers, unreadable } from './scene.js';

/** One record was fanned out; the next was committed without an answer and never retried. */
async function forgotten(): Promise<LaneScene> {
  const scene = new LaneScene();
  await scene.results([publishOf('a', '1')]);
  scene.store.fault = { after: lostAnswers(1) };
  // Its time is over before it is tried again.
  const late = scene.results([publishOf('a', '2')], { budgetMs: 50 });
  await scene.clock.pass(200);
  expect(await late).toMatchObject([{ status: 'expired' }]);
  return scene;
}

describe('the hand-over of a record', () => {
  it('that nobody has asked for again is done before the next record of its channel', async () => {
    const scene = await forgotten();
    const asked: unknown[] = [];
    const range = scene.store.range.bind(scene.store);
    scene.store.range = (query) => {
      asked.push(query);
      return range(query);
    };
    await scene.results([publishOf('a', '3'), publishOf('a', '4'), publishOf('b', '1')]);
    expect(scene.serials('a')).toEqual([1, 2, 3, 4]);
    // Over a connection that has just committed something.
    expect(asked).toMatchObject([{ fromSerial: 2, toSerial: 2, overLanes: true }]);
    await scene.results([publishOf('a', '5')]);
    await scene.clock.pass(3000);
    expect(scene.serials('a')).toEqual([1, 2, 3, 4, 5]);
    expect(await fannedOut(scene)).toBe(5);
    expect(asked).toHaveLength(1);
  });

  it.each([
    ['cannot be read', unreadable],
    ['cannot be read for ever', () => new Promise<never>(() => {})],
  ])('that nobody has asked for again is done later when it %s', async (_which, unread) => {
    const scene = await forgotten();
    const range = scene.store.range.bind(scene.store);
    scene.store.range = unread;
    const third = scene.results([publishOf('a', '3')]);
    await scene.clock.pass(1000);
    expect(await third).toMatchObject([{ status: 'applied' }]);
    expect(scene.serials('a')).toEqual([1, 3]);
    scene.store.range = range;
    await scene.clock.pass(3000);
    expect(scene.serials('a')).toEqual([1, 3, 2, 3]);
    expect(await fannedOut(scene)).toBe(3);
  });

  it('sends nothing of what nobody has asked for again when it is read too late', async () => {
    const scene = await forgotten();
    const gate = new Gate();
    const range = scene.store.range.bind(scene.store);
    scene.store.range = async (query) => {
      await gate.opened;
      return range(query);
    };
    const third = scene.results([publishOf('a', '3')]);
    await scene.clock.pass(1000);
    await third;
    scene.store.range = range;
    gate.open();
    await settled();
    expect(scene.serials('a')).toEqual([1, 3]);
    await scene.clock.pass(3000);
    expect(scene.serials('a')).toEqual([1, 3, 2, 3]);
    expect(await fannedOut(scene)).toBe(3);
  });

  it('waits once for all that nobody has asked for again', async () => {
    const scene = new LaneScene();
    const names = ['a', 'b', 'c'];
    await scene.results(names.map((name) => publishOf(name, '1')));
    scene.store.fault = { after: lostAnswers(1) };
    const late = scene.results(
      names.map((name) => publishOf(name, '2')),
      { budgetMs: 50 },
    );
    await scene.clock.pass(200);
    await late;
    scene.store.range = () => new Promise<never>(() => {});
    let isDone = false;
    void scene.results(names.map((name) => publishOf(name, '3'))).then(() => (isDone = true));
    await scene.clock.pass(1000);
    expect(isDone).toBe(true);
  });

  it('remembers the newest of very many streams that it doubts', async () => {
    const scene = new LaneScene();
    scene.store.fault = { after: lostAnswers(9) };
    for (let round = 0; round < 3; round += 1) {
      const records = Array.from({ length: 400 }, (_, n) => publishOf(`many-${round}-${n}`, '1'));
      const late = scene.results(records, { budgetMs: 50 });
      await scene.clock.pass(1000);
      await late;
    }
    scene.store.fault = {};
    await scene.results([publishOf('many-2-399', '2'), publishOf('many-0-0', '2')]);
    expect(scene.serials('many-2-399')).toEqual([1, 2]);
    expect(scene.serials('many-0-0')).toEqual([2]);
  });
});

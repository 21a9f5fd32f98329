import { describe, expect, it } from 'vitest';
import { settled } from '../manual-clock.js';
import { keyed, publishOf, resetOf } from '../samples.js';
import { fannedOut, Gate, LaneScene, LoopScene, lostAnswers, unreadable } from './scene.js';

describe('the hand-over to the gateways', () => {
  it('comes before the answer and keeps the order of the batches', async () => {
    const scene = new LaneScene();
    const gate = new Gate();
    scene.handOver = () => gate.opened;
    let answered = 0;
    const first = scene.results([publishOf('a', '1')]).finally(() => (answered += 1));
    await settled();
    scene.handOver = async () => {};
    const second = scene.results([publishOf('a', '2')]).finally(() => (answered += 1));
    await settled();
    expect(scene.batches).toEqual([1, 1]);
    expect(answered).toBe(0);
    expect(scene.sent).toEqual([]);
    gate.open();
    await Promise.all([first, second]);
    expect(scene.serials('a')).toEqual([1, 2]);
  });

  it('is told to the store a second later, and at once with the next batch', async () => {
    const scene = new LaneScene();
    await scene.results([publishOf('a', '1'), publishOf('a', '2')]);
    expect(await fannedOut(scene)).toBe(0);
    await scene.results([publishOf('a', '3')]);
    expect(await fannedOut(scene)).toBe(2);
    await scene.clock.pass(1000);
    expect(await fannedOut(scene)).toBe(3);
    expect(await scene.store.laneSeenAtMs(0)).not.toBeNull();
  });

  it('needs no statement of its own for a stream that is written all the time', async () => {
    const scene = new LaneScene();
    const told: number[] = [];
    const { store } = scene;
    const raise = store.raiseWatermarks.bind(store);
    store.raiseWatermarks = (marks, seen) => {
      told.push(marks.length);
      return raise(marks, seen);
    };
    for (let round = 0; round < 30; round += 1) {
      await scene.results([publishOf('a', '1'), ...(round === 0 ? [publishOf('b', '1')] : [])]);
      await scene.clock.pass(100);
    }
    expect(await fannedOut(scene)).toBe(29);
    expect(await fannedOut(scene, 'b')).toBe(1);
    // That the lane is looked after, and the stream that rests.
    expect(told).toEqual([0, 1]);
    await scene.clock.pass(1000);
    expect(await fannedOut(scene)).toBe(30);
  });

  it('that failed for long is found by the next writer, however busy the lane was meanwhile', async () => {
    const dead = new LaneScene();
    dead.handOver = async (records) => {
      if (records.some(({ channel }) => channel === 'a')) throw new Error('too large for the broker');
    };
    await dead.results([publishOf('a', '1')]);
    for (let round = 0; round < 10; round += 1) {
      await dead.results([publishOf('b', '1')]);
      await dead.clock.pass(30_000);
    }
    const next = new LaneScene(4096, new LoopScene('w2', dead.store));
    await next.clock.pass(300_000);
    await next.lane.resendTail();
    expect(next.serials('a')).toEqual([1]);
  });

  it('does not change the answer when it fails, and is done again', async () => {
    const scene = new LaneScene();
    scene.handOver = async () => {
      throw new Error('the broker is gone');
    };
    expect(await scene.results([publishOf('a', '1')])).toMatchObject([{ status: 'applied' }]);
    await scene.clock.pass(3000);
    expect(await fannedOut(scene)).toBe(0);
    scene.handOver = async () => {};
    await scene.results([publishOf('a', '2')]);
    expect(await fannedOut(scene)).toBe(0);
    await scene.clock.pass(3000);
    expect(scene.sent).toMatchObject([
      { serial: 2 },
      { serial: 1, resent: true },
      { serial: 2, resent: true },
    ]);
    expect(await fannedOut(scene)).toBe(2);
    expect(scene.handOverFailures.length).toBeGreaterThan(1);
  });

  it('is done again however long it took, and forgotten when the stream was reset', async () => {
    const scene = new LaneScene();
    scene.handOver = async () => {
      throw new Error('the broker is gone');
    };
    await scene.results([publishOf('a', '1'), publishOf('b', '1')]);
    await scene.clock.pass(400_000);
    await scene.results([resetOf('b')]);
    scene.handOver = async () => {};
    await scene.clock.pass(3000);
    expect(scene.sent.map(({ channel, serial }) => [channel, serial])).toEqual([['a', 1]]);
    const failures = scene.handOverFailures.length;
    await scene.clock.pass(5000);
    expect(scene.handOverFailures).toHaveLength(failures);
    expect(await fannedOut(scene)).toBe(1);
  });

  it('that says nothing is given up after a second', async () => {
    const scene = new LaneScene();
    scene.handOver = () => new Promise(() => {});
    const results = scene.results([publishOf('a', '1')]);
    await scene.clock.pass(1000);
    expect(await results).toMatchObject([{ status: 'applied' }]);
    scene.handOver = async () => {};
    await scene.clock.pass(2000);
    expect(scene.sent).toMatchObject([{ serial: 1, resent: true }]);
  });

  it('is finished by the writer that takes the lane over', async () => {
    const dead = new LaneScene();
    dead.handOver = () => new Promise(() => {});
    void dead.results([publishOf('a', '1'), publishOf('a', '2')]);
    await settled();
    const next = new LaneScene(4096, new LoopScene('w2', dead.store));
    await next.lane.resendTail();
    expect(next.sent).toMatchObject([
      { serial: 1, resent: true, writer_id: 'w2', op: 'publish' },
      { serial: 2, resent: true },
    ]);
    await next.clock.pass(1000);
    expect(await fannedOut(next)).toBe(2);
    await next.lane.resendTail();
    expect(next.sent).toHaveLength(2);
  });

  it('of a resent record that nobody may have seen comes before its answer', async () => {
    const dead = new LaneScene();
    dead.handOver = () => new Promise(() => {});
    const record = publishOf('a', '1');
    void dead.results([record]);
    await settled();
    const next = new LaneScene(4096, new LoopScene('w2', dead.store));
    expect(await next.results([record])).toMatchObject([{ status: 'applied', delivery_serial: 1 }]);
    expect(next.sent).toMatchObject([{ serial: 1, resent: true }]);
  });

  it('of a record whose commit was not answered needs nothing of the store', async () => {
    const scene = new LaneScene();
    scene.store.fault = { after: lostAnswers(1) };
    scene.store.range = unreadable;
    const first = scene.results([publishOf('a', '1')]);
    await scene.clock.pass(200);
    expect(await first).toMatchObject([{ status: 'applied', delivery_serial: 1 }]);
    await scene.results([publishOf('a', '2')]);
    expect(scene.sent).toMatchObject([{ serial: 1, resent: true }, { serial: 2 }]);
    expect(scene.sent.map(({ message }) => JSON.parse(message ?? ''))).toMatchObject([
      { data: '1', serial: 1 },
      { data: '2', serial: 2 },
    ]);
    await scene.clock.pass(1000);
    expect(await fannedOut(scene)).toBe(2);
  });

  it('of what somebody else has brought is done later when it cannot be read, whatever came after it', async () => {
    const dead = new LaneScene();
    dead.handOver = () => new Promise(() => {});
    const idem = keyed('a', 'key', 'x');
    void dead.results([publishOf('a', '1', { idem })]);
    await settled();
    const next = new LaneScene(4096, new LoopScene('w2', dead.store));
    const range = dead.store.range.bind(dead.store);
    dead.store.range = unreadable;
    expect(await next.results([publishOf('a', '1', { idem })])).toMatchObject([{ status: 'duplicate' }]);
    await next.results([publishOf('a', '2')]);
    expect(next.serials('a')).toEqual([2]);
    dead.store.range = range;
    await next.clock.pass(3000);
    expect(next.serials('a')).toEqual([2, 1, 2]);
    expect(await fannedOut(next)).toBe(2);
  });

  it('that failed is done again before the lane is given up, for the next writer may have looked already', async () => {
    const scene = new LaneScene();
    scene.handOver = async () => {
      throw new Error('this process stood still');
    };
    await scene.results([publishOf('a', '1')]);
    scene.handOver = async () => {};
    await scene.lane.close();
    expect(scene.sent).toMatchObject([{ serial: 1, resent: true }]);
    expect(await fannedOut(scene)).toBe(1);
  });

  it('tells gateways of a reset, and begins at 1 behind it', async () => {
    const scene = new LaneScene();
    const [first] = await scene.results([publishOf('a', '1')]);
    const [reset] = await scene.results([resetOf('a')]);
    await scene.results([publishOf('a', '2')]);
    await scene.clock.pass(1000);
    expect(scene.sent).toMatchObject([
      { op: 'publish', serial: 1 },
      { op: 'reset', old_stream_id: first?.stream_id, stream_id: reset?.stream_id },
      { op: 'publish', serial: 1, stream_id: reset?.stream_id },
    ]);
    expect(await fannedOut(scene)).toBe(1);
  });
});

import { describe, expect, it } from 'vitest';
import { OrderScene, recordOf } from './scene.js';

const begun = (serial = 0): OrderScene => {
  const scene = new OrderScene();
  scene.begin(serial);
  return scene;
};

describe('the order of a channel', () => {
  it('begins behind the head, with what came while it was read', () => {
    const scene = new OrderScene();
    expect(scene.order.position).toBeNull();
    scene.receive(8, 6, 7, 5);
    scene.begin(5);
    expect(scene.serials).toEqual([6, 7, 8]);
    expect(scene.order.inStep).toBe(true);
    expect(scene.order.position).toEqual({ streamId: 's-1', serial: 8 });
  });

  it('is restored when records come out of order or twice', () => {
    const scene = begun();
    scene.receive(3, 1, 1, 2, 3, 4, 2);
    expect(scene.serials).toEqual([1, 2, 3, 4]);
    expect(scene.told).toEqual([]);
    expect(scene.order.dueMs).toBeNull();
  });

  it('reads what is missing after a quarter of a second, and again until it comes', () => {
    const scene = begun();
    scene.receive(1, 4);
    expect(scene.order.inStep).toBe(false);
    expect(scene.order.dueMs).toBe(250);
    scene.pass(249);
    expect(scene.told).toEqual([]);
    scene.pass(1);
    scene.pass(250);
    expect(scene.told).toEqual(['fetch 2-3', 'fetch 2-3']);
    scene.receive(2, 3);
    expect(scene.serials).toEqual([1, 2, 3, 4]);
    expect(scene.order.inStep).toBe(true);
    scene.pass(10_000);
    expect(scene.told).toHaveLength(2);
  });

  it('goes on behind a gap that lasts two seconds, and says so', () => {
    const scene = begun();
    scene.receive(1, 4, 6);
    for (let passed = 0; passed < 2000; passed += 250) scene.pass(250);
    expect(scene.told.at(-1)).toBe('give_up 2-3');
    expect(scene.serials).toEqual([1, 4]);
    scene.receive(3);
    expect(scene.serials).toEqual([1, 4]);
    scene.receive(5);
    expect(scene.serials).toEqual([1, 4, 5, 6]);
  });

  it('gives a gap up at once when too many records wait behind it', () => {
    const scene = begun();
    for (let serial = 2; serial <= 1001; serial += 1) scene.receive(serial);
    expect(scene.told).toEqual([]);
    scene.receive(1002);
    expect(scene.told).toEqual(['give_up 1-1']);
    expect(scene.serials).toHaveLength(1001);
  });

  it('keeps of what comes before the head is known only the newest', () => {
    const scene = new OrderScene();
    for (let serial = 1; serial <= 1500; serial += 1) scene.receive(serial);
    scene.begin(499);
    scene.pass(250);
    expect(scene.told).toEqual(['fetch 500-500']);
  });

  it('learns from the head that the newest is missing', () => {
    const scene = begun();
    scene.receive(1);
    scene.check({ streamId: 's-1', serial: 3 });
    scene.pass(250);
    expect(scene.told).toEqual(['fetch 2-3']);
    scene.receive(3, 2);
    expect(scene.serials).toEqual([1, 2, 3]);
    expect(scene.order.dueMs).toBeNull();
  });

  it('is out of step from a new connection to the next head', () => {
    const scene = begun();
    scene.receive(1);
    scene.do(scene.order.reconnected());
    expect(scene.told).toEqual(['read head']);
    expect(scene.order.inStep).toBe(false);
    scene.check({ streamId: 's-1', serial: 1 });
    expect(scene.order.inStep).toBe(true);
  });

  it('begins at 1 after a reset, and drops what is left of the old stream', () => {
    const scene = begun(7);
    scene.do(scene.order.reset('s-1', 's-2'));
    scene.do(scene.order.reset('s-1', 's-2'));
    scene.do(scene.order.received(recordOf(1, 's-2'), 0));
    scene.receive(8);
    expect(scene.told).toEqual(['read head']);
    scene.check({ streamId: 's-2', serial: 1 });
    scene.do(scene.order.received(recordOf(2, 's-2'), 0));
    expect(scene.delivered).toEqual([recordOf(1, 's-2'), recordOf(2, 's-2')]);
  });

  it('finds a reset that it was not told of', () => {
    const scene = begun(7);
    for (const serial of [2, 3]) scene.do(scene.order.received(recordOf(serial, 's-2'), 0));
    expect(scene.told).toEqual(['read head']);
    scene.check({ streamId: 's-2', serial: 3 });
    scene.pass(250);
    expect(scene.told).toEqual(['read head', 'fetch 1-1']);
    scene.do(scene.order.received(recordOf(1, 's-2'), 0));
    expect(scene.serials).toEqual([1, 2, 3]);
  });

  it('does not go back to a stream whose head was read before a reset', () => {
    const scene = begun(7);
    const then = scene.order.position;
    scene.do(scene.order.reset('s-1', 's-2'));
    scene.check({ streamId: 's-1', serial: 7 }, then);
    expect(scene.order.position).toEqual({ streamId: 's-2', serial: 0 });
  });

  it('keeps a reset that comes before the head is known', () => {
    const scene = new OrderScene();
    scene.do(scene.order.reset('s-1', 's-2'));
    scene.do(scene.order.received(recordOf(1, 's-2'), 0));
    scene.begin(9);
    expect(scene.delivered).toEqual([recordOf(1, 's-2')]);
  });

  it('tells once that the head went back, and not when it was only read early', () => {
    const scene = begun();
    const then = scene.order.position;
    scene.receive(1, 2, 3);
    scene.check({ streamId: 's-1', serial: 0 }, then);
    expect(scene.told).toEqual([]);
    scene.check({ streamId: 's-1', serial: 2 });
    scene.check({ streamId: 's-1', serial: 2 });
    expect(scene.told).toEqual(['regressed from 3']);
  });

  it('tells of another message at a serial that was delivered, and delivers it', () => {
    const scene = begun();
    scene.receive(1, 2);
    scene.do(scene.order.received(recordOf(2, 's-1', 'another'), 0));
    expect(scene.told).toEqual(['regressed from 2']);
    expect(scene.delivered.at(-1)?.messageId).toBe('another');
  });
});

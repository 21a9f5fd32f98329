import { describe, expect, it } from 'vitest';
import { RemoteLanes } from '../../src/index.js';
import { WriterScene } from './scene.js';

describe('the number of lanes', () => {
  it('is told to whoever asks a writer', async () => {
    const scene = new WriterScene(4);
    const asking = new RemoteLanes(scene.hub.open());
    expect(await asking.lanes('gw-1', 16)).toBeNull();
    scene.start();
    await scene.clock.pass(1500);
    const told = asking.lanes('gw-1', 16);
    await scene.clock.pass(10);
    expect(await told).toBe(4);
  });

  it('is that of the first, and another writer does not start beside it', async () => {
    const scene = new WriterScene(4);
    scene.start();
    await scene.clock.pass(1500);
    const other = scene.start(8);
    // It has received the first announcement by then and need not wait for others.
    await scene.clock.pass(1500);
    expect(other.lines).toContain('LanesDiffer: history.writer_shards: is 8, others use 4');
    expect(other.writer.serving).toEqual([]);
    expect(scene.serversByLane()).toEqual([1, 1, 1, 1]);
  });

  it('is changed by a writer that hears nobody for five seconds', async () => {
    const scene = new WriterScene(4);
    const first = scene.start();
    await scene.clock.pass(1500);
    const left = first.writer.leave();
    await scene.clock.pass(3000);
    await left;
    const other = scene.start(8);
    await scene.clock.pass(4500);
    expect(other.writer.serving).toEqual([]);
    await scene.clock.pass(1500);
    expect(other.writer.serving).toHaveLength(8);
    expect(await scene.store.agreeOnLanes(4, false)).toBe(8);
  });

  it('of a publisher that differs is refused and told', async () => {
    const scene = new WriterScene(4);
    const { lines } = scene.start();
    await scene.clock.pass(1500);
    const body = {
      lanes: 8,
      lane: 1,
      budget_ms: 1000,
      chain: false,
      node_id: 'api-1',
      records: [{ pub_id: '0199d3a1-7c1e-7b52-9f10-2a6f0c1d9e77' }],
    };
    const answer = new RemoteLanes(scene.hub.open()).send(body);
    await scene.clock.pass(10);
    expect(await answer).toEqual({ kind: 'refused', code: 'lane_mismatch' });
    expect(lines).toContain('api-1 counts 8');
  });
});

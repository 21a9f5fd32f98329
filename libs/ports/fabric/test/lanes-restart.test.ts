import type { EngineHandle } from '@carillon/engines';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { clusterNode } from './cluster.js';
import { own, REAL_WIRES } from './wires.js';

const SOON = { timeout: 40_000, interval: 20 };
const LANE = { use: 'commit', lane: 2 } as const;

describe.each(REAL_WIRES)('lanes over $name, killed and restarted', { timeout: 90_000 }, (real) => {
  let broker: EngineHandle;
  beforeAll(async () => {
    broker = await own(real);
  });
  afterAll(() => broker.release());

  async function join() {
    const { fabric } = clusterNode(await real.open(broker.url, 'lanes'), { routing: real.routing });
    onTestFinished(() => fabric.close());
    await vi.waitFor(async () => expect(await fabric.health()).toBeNull(), SOON);
    return fabric;
  }

  it('ends every call by its budget meanwhile, and serves and hears again afterwards', async () => {
    const [asking, serving] = [await join(), await join()];
    const heard: string[] = [];
    await asking.lanes.hear((bytes) => heard.push(Buffer.from(bytes).toString()));
    await serving.lanes.serve(LANE, async () => '{"v":1}');
    const call = (budgetMs: number) => asking.lanes.call(LANE, '{"v":1}', budgetMs);
    expect(await call(5000)).toMatchObject({ kind: 'reply' });
    await broker.kill();
    expect((await call(500)).kind).not.toBe('reply');
    await vi.waitFor(async () => expect(await asking.health()).toMatch(/not connected/), SOON);
    expect(await call(500)).toEqual({ kind: 'no_responder' });
    await expect(asking.lanes.announce('{"v":1}')).rejects.toThrow('not connected');
    await broker.restart();
    await vi.waitFor(async () => expect(await call(500)).toMatchObject({ kind: 'reply' }), SOON);
    await vi.waitFor(async () => {
      await serving.lanes.announce('{"v":1}');
      expect(heard.length).toBeGreaterThan(0);
    }, SOON);
  });
});

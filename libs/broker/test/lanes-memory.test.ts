import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { clusterNode } from './cluster.js';
import { lanesConformance } from './lanes-conformance.js';
import { MemoryBroker } from './memory-broker.js';

const LANE = { use: 'commit', lane: 3 } as const;

lanesConformance('memory', async () => {
  const broker = new MemoryBroker();
  return {
    routing: 'interest',
    wire: async () => broker.wire(),
    knowsResponders: true,
    takers: 'all',
    hasHeads: true,
  };
});

function started(broker: MemoryBroker) {
  const node = clusterNode(broker.wire());
  onTestFinished(() => node.broker.close());
  return node.broker;
}

describe('lanes over a broker that misbehaves', () => {
  it('gives whoever asks one answer when requests and answers come twice', async () => {
    const broker = new MemoryBroker();
    broker.doubles = true;
    const [asking, serving] = [started(broker), started(broker)];
    await serving.health();
    await asking.health();
    let asked = 0;
    await serving.lanes.serve(LANE, async () => {
      asked += 1;
      return `{"n":${asked}}`;
    });
    const heard = await asking.lanes.call(LANE, '{"v":1}', 5000);
    expect(heard).toMatchObject({ kind: 'reply' });
    expect(asked).toBe(2);
  });

  it('ends calls of a lost connection, has nobody without one, and serves again on the next', async () => {
    const broker = new MemoryBroker();
    const [asking, serving] = [started(broker), started(broker)];
    await serving.health();
    await asking.health();
    const taken = vi.fn(async (): Promise<string | null> => null);
    await serving.lanes.serve(LANE, taken);
    const waiting = asking.lanes.call(LANE, '{"v":1}', 60_000);
    await vi.waitFor(() => expect(taken).toHaveBeenCalled());
    broker.stop();
    expect(await waiting).toEqual({ kind: 'silent' });
    expect(await asking.lanes.call(LANE, '{"v":1}', 60_000)).toEqual({ kind: 'no_responder' });
    await expect(asking.lanes.announce('{"v":1}')).rejects.toThrow('not connected');
    broker.isUp = true;
    taken.mockResolvedValue('{"back":true}');
    await vi.waitFor(
      async () => expect(await asking.lanes.call(LANE, '{"v":1}', 1000)).toMatchObject({ kind: 'reply' }),
      { timeout: 10_000 },
    );
  });

  it('tells that the broker refuses an address, and does not serve it', async () => {
    const broker = new MemoryBroker();
    broker.refused.add(broker.names.commit(3));
    const [asking, serving] = [started(broker), started(broker)];
    await serving.health();
    await asking.health();
    await expect(serving.lanes.serve(LANE, async () => '{"a":1}')).rejects.toThrow('refused');
    broker.refused.clear();
    expect(await asking.lanes.call(LANE, '{"v":1}', 1000)).toEqual({ kind: 'no_responder' });
    await serving.lanes.serve(LANE, async () => '{"a":1}');
    expect(await asking.lanes.call(LANE, '{"v":1}', 1000)).toMatchObject({ kind: 'reply' });
  });

  it('serves nothing any more when it is closed', async () => {
    const broker = new MemoryBroker();
    const serving = started(broker);
    await serving.health();
    await serving.lanes.serve(LANE, async () => null);
    await serving.close();
    expect(broker.subscribers(broker.names.commit(3))).toBe(0);
    await expect(serving.lanes.serve(LANE, async () => null)).rejects.toThrow('closed');
    expect(await serving.lanes.call(LANE, '{"v":1}', 1000)).toEqual({ kind: 'no_responder' });
  });
});

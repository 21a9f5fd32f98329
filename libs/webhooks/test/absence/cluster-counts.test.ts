import { LocalFabric } from '@carillon/fabric';
import { describe, expect, it } from 'vitest';
import { ClusterCounts } from '../../src/absence/cluster-counts.js';

function counts(cluster: Readonly<Record<string, number>>, here: number, maxWaiting?: number) {
  const questions: (readonly string[])[] = [];
  const fabric = {
    ask: async (_kind: string, _appId: string, { channels }: { channels: readonly string[] }) => {
      questions.push(channels);
      const answer = new Map(
        channels.flatMap((name) => (name in cluster ? [[name, cluster[name] ?? 0]] : [])),
      );
      return { answer, complete: true };
    },
  };
  return {
    questions,
    counts: new ClusterCounts({ fabric: fabric as never, here: () => here }, maxWaiting),
  };
}

describe('subscribers of other processes', () => {
  it('are all there are without those here', async () => {
    const { counts: asked } = counts({ a: 5, b: 2 }, 2);
    expect(await asked.others('shop', 'a')).toEqual({ others: 3, isComplete: true });
    expect(await asked.others('shop', 'b')).toEqual({ others: 0, isComplete: true });
    expect(await asked.others('shop', 'none')).toEqual({ others: 0, isComplete: true });
  });

  it('are asked for once for everything in one turn, a thousand channels at a time', async () => {
    const { counts: asked, questions } = counts({ a: 1 }, 0);
    const names = Array.from({ length: 1500 }, (_, n) => `c${n}`);
    const answers = await Promise.all(['a', 'a', ...names].map((name) => asked.others('shop', name)));
    expect(answers.slice(0, 3).map((one) => one?.others)).toEqual([1, 1, 0]);
    expect(questions.map(({ length }) => length)).toEqual([1000, 501]);
  });

  it('cannot be told when too many questions wait', async () => {
    const { counts: asked } = counts({}, 0, 1);
    const [first, second] = await Promise.all([asked.others('shop', 'a'), asked.others('shop', 'b')]);
    expect([first?.others, second]).toEqual([0, null]);
    expect((await asked.others('shop', 'b'))?.others).toBe(0);
  });

  it('may be more than those who answered', async () => {
    const fabric = new LocalFabric('n', () => {});
    await fabric.close();
    const asked = new ClusterCounts({ fabric, here: () => 0 });
    expect(await asked.others('shop', 'a')).toEqual({ others: 0, isComplete: false });
  });
});

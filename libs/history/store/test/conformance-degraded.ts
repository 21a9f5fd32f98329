import { beforeEach, describe, expect, it } from 'vitest';
import type { DurableState, DurableStore, StreamAddress } from '../src/index.js';
import { addressOf, append, headOf, NOTHING, NOW_MS, streamIn, wantedOf } from './scene.js';

/** Requirements of degraded streams of every store. */
export function conformanceOfDegraded(current: () => DurableStore): void {
  const mark = async (address: StreamAddress, state: DurableState): Promise<void> => {
    const durable = { state, reason: 'a reason', nodeId: 'n', changedAtMs: NOW_MS };
    await append(current(), address, [], { durable });
  };

  const keyOf = async (name: string): Promise<bigint> =>
    BigInt((await headOf(current(), addressOf(name))).streamKey);

  const degraded = async (limit = 100, after: string | null = null): Promise<string[]> =>
    (await current().degraded({ after, limit })).map(({ address }) => address.channel);

  describe('finds degraded streams', () => {
    beforeEach(async () => {
      for (const { address } of await current().degraded({ after: null, limit: 100 }))
        await mark(address, 'healthy');
    });

    it('of messages only, and none that have to be reset', async () => {
      await append(current(), addressOf('degraded-not'), [{}]);
      await mark(addressOf('degraded-reset'), 'reset_required');
      await mark(addressOf('degraded-members', 'presence'), 'degraded');
      expect(await degraded()).toEqual([]);
      await mark(addressOf('degraded'), 'degraded');
      expect(await degraded()).toEqual(['degraded']);
      expect(await current().degraded({ after: null, limit: 1 })).toEqual([
        await headOf(current(), addressOf('degraded')),
      ]);
    });

    it('until they are healthy again, whatever is written meanwhile', async () => {
      const address = addressOf('degraded-written');
      await append(current(), address, [{}]);
      await mark(address, 'degraded');
      await append(current(), address, [{}, {}]);
      expect(await degraded()).toEqual(['degraded-written']);
      await mark(address, 'healthy');
      expect(await degraded()).toEqual([]);
    });

    it('no more than asked for, and goes on behind the last one', async () => {
      const names = ['degraded-1', 'degraded-2', 'degraded-3'];
      for (const name of names) await append(current(), addressOf(name), [{}]);
      for (const name of names.toReversed()) await mark(addressOf(name), 'degraded');
      const keys = await Promise.all(names.map(async (name) => ({ name, key: await keyOf(name) })));
      const [first, second, third] = keys.sort((one, other) => (one.key < other.key ? -1 : 1));
      expect(await degraded(2)).toEqual([first?.name, second?.name]);
      expect(await degraded(2, String(second?.key))).toEqual([third?.name]);
    });

    it('no longer once they are removed', async () => {
      const address = addressOf('degraded-unused');
      await mark(address, 'degraded');
      const nowMs = NOW_MS + 40 * 86_400_000;
      for (let more = true; more;) {
        const step = await current().purge({ nowMs, batch: 100, receiptsKeptMs: 0, windowMs: 86_400_000 });
        more = step?.more ?? true;
      }
      expect(await degraded()).toEqual([]);
      await current().commit(wantedOf([address]), (found) => {
        expect(streamIn(found, address)).toMatchObject({ durable: { state: 'healthy' } });
        return { changes: NOTHING };
      });
    });
  });
}

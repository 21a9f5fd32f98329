import { describe, expect, it } from 'vitest';
import type { DurableStore, PurgeStep, StreamAddress } from '../src/index.js';
import { addressOf, append, DAY_MS, headOf, NOTHING, NOW_MS, streamIn, wantedOf } from './scene.js';

/** Steps until nothing is left. */
export async function purgeAll(store: DurableStore, nowMs: number, batch = 2): Promise<PurgeStep[]> {
  const steps: PurgeStep[] = [];
  for (let more = true; more;) {
    const step = await store.purge({ nowMs, batch, receiptsKeptMs: 600_000, windowMs: DAY_MS });
    if (step === null) throw new Error('another process is at it');
    steps.push(step);
    more = step.more;
    if (steps.length > 10_000) throw new Error('a purge without an end');
  }
  return steps;
}

const appOf = (channel: string, kind: StreamAddress['kind'] = 'messages'): StreamAddress => ({
  ...addressOf(channel, kind),
  appId: 'purged',
});

const lostBy = (steps: readonly PurgeStep[]) =>
  steps
    .flatMap(({ evicted }) => evicted)
    .filter(({ appId }) => appId === 'purged')
    .reduce((sum, { records }) => sum + records, 0);

/** Requirements of purges of every store. */
export function conformanceOfPurge(current: () => DurableStore): void {
  const serialsOf = async (address: StreamAddress) => {
    const { streamKey, generation } = await headOf(current(), address);
    const rows = await current().range({ streamKey, generation, fromSerial: 1, toSerial: 99, limit: 99 });
    return rows.map(({ deliverySerial }) => deliverySerial);
  };
  describe('purges', () => {
    it('removes what is over the caps, the oldest first, and nothing that a receipt speaks of', async () => {
      const address = appOf('capped');
      await append(current(), address, [{}, {}, {}, {}, {}], { maxMessages: 2 });
      await purgeAll(current(), NOW_MS);
      expect((await serialsOf(address)).slice(-2)).toEqual([4, 5]);
      const steps = await purgeAll(current(), NOW_MS + 601_000);
      expect(await serialsOf(address)).toEqual([4, 5]);
      expect(await headOf(current(), address)).toMatchObject({
        floorHistorySerial: 4,
        floorDeliverySerial: 4,
        nextHistorySerial: 6,
        retainedMessages: 2,
        retainedBytes: 44,
      });
      expect(lostBy(steps)).toBeLessThanOrEqual(3);
    });

    it('removes what is over the caps within seconds, once it was handed over', async () => {
      const address = appOf('capped-now');
      await append(current(), address, [{}, {}, {}, {}, {}], { maxMessages: 2 });
      const { streamKey, generation } = await headOf(current(), address);
      const seen = { lanes: [1], writerId: 'w', nowMs: NOW_MS };
      await current().raiseWatermarks([{ streamKey, generation, serial: 4 }], seen);
      const request = { nowMs: NOW_MS + 16_000, batch: 2, receiptsKeptMs: 600_000, windowMs: DAY_MS };
      for (let more = true; more;) {
        const step = await current().purge({ ...request, onlyCapped: true });
        more = step?.more ?? true;
      }
      expect((await serialsOf(address)).slice(-2)).toEqual([4, 5]);
      await purgeAll(current(), request.nowMs);
      expect(await serialsOf(address)).toEqual([4, 5]);
    });

    it('counts what can be read, not what is hidden and still stored', async () => {
      const appId = 'surveyed-hidden';
      const hidden = { historyUntilMs: NOW_MS - 1, keepUntilMs: NOW_MS, payloadSize: 5 };
      const shown = { payloadSize: 7 };
      await append(current(), { ...addressOf('timed'), appId }, [hidden, hidden, shown, shown], {
        retainedMessages: 4,
        retainedBytes: 24,
      });
      await append(current(), { ...addressOf('capped'), appId }, [shown, shown, shown], {
        retainedMessages: 3,
        retainedBytes: 21,
        maxMessages: 1,
      });
      await purgeAll(current(), NOW_MS, 100);
      const survey = (await current().survey()).filter((app) => app.appId === appId);
      expect(survey).toMatchObject([{ kind: 'messages', records: 3 }]);
    });

    it('keeps the newest rows whose sizes fit', async () => {
      const address = appOf('sized-purge');
      await append(current(), address, [{ payloadSize: 10 }, { payloadSize: 30 }, { payloadSize: 30 }], {
        maxBytes: 60,
        retainedBytes: 70,
      });
      await purgeAll(current(), NOW_MS + 601_000);
      expect(await serialsOf(address)).toEqual([2, 3]);
      expect(await headOf(current(), address)).toMatchObject({ retainedMessages: 2, retainedBytes: 60 });
    });

    it('removes what is past its day, of every stream, and takes it out of the counters', async () => {
      const keepUntilMs = NOW_MS + 5 * DAY_MS;
      const addresses = ['day-1', 'day-2', 'day-3'].map((name) => appOf(name));
      for (const address of addresses)
        await append(current(), address, [{}, {}, { keepUntilMs, historyUntilMs: keepUntilMs }]);
      await purgeAll(current(), NOW_MS + 2 * DAY_MS);
      for (const address of addresses) {
        expect(await serialsOf(address)).toEqual([3]);
        expect(await headOf(current(), address)).toMatchObject({
          floorHistorySerial: 3,
          retainedMessages: 1,
          retainedBytes: 22,
        });
      }
      await purgeAll(current(), NOW_MS + 7 * DAY_MS);
      expect(await headOf(current(), appOf('day-1'))).toMatchObject({
        floorHistorySerial: 4,
        nextHistorySerial: 4,
        retainedMessages: 0,
        retainedBytes: 0,
      });
    });

    it('forgets a stream that holds nothing and was not used for 30 days', async () => {
      const address = appOf('unused');
      await append(current(), address, [{}], { lastKeepDay: '2026-03-06' });
      await purgeAll(current(), NOW_MS + 29 * DAY_MS);
      const { streamId } = await headOf(current(), address);
      await purgeAll(current(), NOW_MS + 31 * DAY_MS);
      expect((await current().heads([address])).size).toBe(0);
      await current().commit(wantedOf([address]), () => ({ changes: NOTHING }));
      expect((await headOf(current(), address)).streamId).not.toBe(streamId);
    });

    it('counts what there is of each app', async () => {
      const appId = 'surveyed';
      for (const channel of ['a', 'b']) await append(current(), { ...addressOf(channel), appId }, [{}, {}]);
      await current().commit(wantedOf([{ ...addressOf('b'), appId }]), (found) => ({
        changes: {
          ...NOTHING,
          streams: [
            {
              ...streamIn(found, { ...addressOf('b'), appId }),
              durable: { state: 'reset_required', reason: 'history_serial_gap', nodeId: 'n', changedAtMs: 1 },
            },
          ],
        },
      }));
      await purgeAll(current(), NOW_MS);
      expect((await current().survey()).filter((app) => app.appId === appId)).toEqual([
        { appId, kind: 'messages', records: 4, bytes: 88, degraded: 0, resetRequired: 1 },
      ]);
    });

    it('leaves out what is over its caps and too young to go', async () => {
      const appId = 'surveyed-young';
      const capped = { ...addressOf('a'), appId };
      await append(current(), capped, [{}, {}, {}], { maxMessages: 2 });
      await append(current(), { ...addressOf('b'), appId }, [{}]);
      await purgeAll(current(), NOW_MS);
      expect((await current().survey()).filter((app) => app.appId === appId)).toMatchObject([
        { kind: 'messages', records: 3, bytes: 66 },
      ]);
    });
  });
}

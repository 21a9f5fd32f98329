import { describe, expect, it } from 'vitest';
import { type DurableStore, type StreamAddress, streamName } from '../src/index.js';
import { transitions } from './conformance-presence.js';
import { purgeAll } from './conformance-purge.js';
import { addressOf, append, DAY_MS, headOf, NOTHING, NOW_MS, streamIn, wantedOf } from './scene.js';

const WHOLE = { gap: false, conflict: false, unreadable: false };

/** Requirements of the inspection of every store. */
export function conformanceOfInspection(current: () => DurableStore): void {
  const inspect = async (address: StreamAddress, nowMs = NOW_MS): Promise<unknown> => {
    let seen: unknown;
    await current().commit(wantedOf([address], { inspect: true, nowMs }), (found) => {
      streamIn(found, address);
      seen = found.inspections.get(streamName(address));
      return { changes: NOTHING };
    });
    return seen;
  };

  describe('inspects', () => {
    it('a history that nothing is missing of, however its rows expire and are removed', async () => {
      const address = addressOf('inspected-expiring');
      const longMs = NOW_MS + 5 * DAY_MS;
      const long = { historyUntilMs: longMs, keepUntilMs: longMs };
      await append(current(), address, [{}, long, { historyUntilMs: NOW_MS }, {}, long, {}]);
      expect(await inspect(address)).toEqual(WHOLE);
      expect(await inspect(address, NOW_MS + 2 * DAY_MS)).toEqual(WHOLE);
      await purgeAll(current(), NOW_MS + 2 * DAY_MS);
      expect(await headOf(current(), address)).toMatchObject({ floorHistorySerial: 2 });
      expect(await inspect(address, NOW_MS + 2 * DAY_MS)).toEqual(WHOLE);
    });

    it('a history that has lost a row, wherever it was', async () => {
      const lost = { first: [2, 3], middle: [1, 3], last: [1, 2] };
      for (const [where, serials] of Object.entries(lost)) {
        const address = addressOf(`inspected-${where}`);
        const rows = serials.map((serial) => ({ historySerial: serial, deliverySerial: serial }));
        await append(current(), address, rows, { nextHistorySerial: 4, retainedMessages: 3 });
        expect(await inspect(address)).toEqual({ ...WHOLE, gap: true });
        await append(current(), address, [], { floorHistorySerial: 4, retainedMessages: 0 });
        expect(await inspect(address)).toEqual(WHOLE);
      }
    });

    it('a serial that two rows have', async () => {
      const address = addressOf('inspected-twice');
      await append(current(), address, [{}, {}, { historySerial: 2 }], { retainedMessages: 2 });
      expect(await inspect(address)).toEqual({ ...WHOLE, conflict: true });
    });

    it('a row that cannot be read, as long as it is visible', async () => {
      const address = addressOf('inspected-unreadable');
      await append(current(), address, [{}, { payload: '{"event":', historyUntilMs: NOW_MS + 1 }]);
      expect(await inspect(address)).toEqual({ ...WHOLE, unreadable: true });
      expect(await inspect(address, NOW_MS + 1)).toEqual(WHOLE);
    });

    it('whose message the record with a serial is', async () => {
      const address = addressOf('identified');
      const ask = async (messageIdAt?: number) => {
        let seen: unknown;
        const more = messageIdAt === undefined ? {} : { messageIdAt };
        await current().commit(wantedOf([address], more), (found) => {
          seen = found.messageIdAt;
          return { changes: NOTHING };
        });
        return seen;
      };
      await append(current(), address, [{ messageId: 'm-1' }, { messageId: null }]);
      expect([await ask(1), await ask(2), await ask(3), await ask()]).toEqual(['m-1', null, null, undefined]);
    });

    it('the coming and going of members alike', async () => {
      const address = addressOf('inspected-presence', 'presence');
      await transitions(current(), address.channel, [{ body: 'null' }, { body: '"a text"' }, {}]);
      expect(await inspect(address)).toEqual(WHOLE);
      await transitions(current(), address.channel, [{}, { serial: 6 }]);
      await append(current(), address, [], { nextHistorySerial: 7, retainedMessages: 6 });
      expect(await inspect(address)).toEqual({ ...WHOLE, gap: true });
    });
  });
}

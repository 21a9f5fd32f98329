import type { HistoryQuery, PastMessage, PastPage } from '@carillon/history-reader';
import type { Message } from '@carillon/protocol';
import { LoopShare } from '@carillon/runtime';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { selectPast, type PastReader, type SelectionQuery } from '../../src/recovery/rewind-selection.js';

/** A history of messages from `floor` to `head`, one a second, whose even ones are loud. */
const messageOf = (serial: number): Message => ({
  kind: 'message',
  channel: 'orders',
  event: serial % 2 === 0 ? 'loud' : 'quiet',
  name: null,
  dataText: null,
  userId: null,
  messageId: `m${serial}`,
  tagsText: null,
  extrasText: null,
  streamId: 's',
  serial,
  action: 'plain',
  isFromClient: false,
  mayBeDelta: true,
});

function history(floor: number, head: number): PastReader & { readonly limits: number[] } {
  const limits: number[] = [];
  return {
    limits,
    past: async (_app: string, _channel: string, query: HistoryQuery): Promise<PastPage> => {
      limits.push(query.limit);
      const { end_serial: end, start_time_ms: start } = query.bounds;
      const all: PastMessage[] = [];
      for (let serial = head; serial >= floor; serial -= 1) {
        const isIn = serial <= (end ?? Infinity) && serial * 1000 >= (start ?? 0);
        if (!isIn || (query.cursor !== null && serial >= Number(query.cursor))) continue;
        const message = messageOf(serial);
        const createId = message.messageId;
        all.push({ message, createId, historySerial: serial, publishedAtMs: serial * 1000 });
      }
      const messages = all.slice(0, query.limit);
      const hasMore = all.length > messages.length;
      return {
        messages,
        hasMore,
        nextCursor: hasMore ? String(messages.at(-1)?.historySerial) : null,
        floor,
        isTruncated: floor > 1 && (start === null || start < floor * 1000),
      };
    },
  };
}

const select = async (reader: PastReader, more: Partial<SelectionQuery>) => {
  const { frames, ...flags } = await selectPast(reader, {
    appId: 'shop',
    channel: 'orders',
    wish: { count: 1 },
    untilSerial: Infinity,
    maxPageSize: 100,
    nowMs: 1_000_000,
    isWanted: () => true,
    share: new LoopShare(),
    ...more,
  });
  return { serials: frames.map(({ fact }) => (fact as Message).serial ?? 0), ...flags };
};

const isLoud: SelectionQuery['isWanted'] = ({ fact }) => (fact as Message).event === 'loud';
const WHOLE = { truncatedByLimit: false, truncatedByRetention: false };

describe('what a subscription begins with', () => {
  it('is the newest asked for, the oldest first, which is no truncation', async () => {
    expect(await select(history(1, 5), { wish: { count: 2 } })).toEqual({ serials: [4, 5], ...WHOLE });
    expect(await select(history(1, 5), { wish: { count: 9 } })).toEqual({
      serials: [1, 2, 3, 4, 5],
      ...WHOLE,
    });
    expect(await select(history(1, 0), { wish: { count: 9 } })).toEqual({ serials: [], ...WHOLE });
  });

  it('is nothing that came after it attached', async () => {
    expect((await select(history(1, 9), { wish: { count: 2 }, untilSerial: 4 })).serials).toEqual([3, 4]);
    expect((await select(history(1, 9), { wish: { count: 2 }, untilSerial: 0 })).serials).toEqual([]);
  });

  it('says when more was asked for than may be, or than there is any more', async () => {
    const many = await select(history(1, 9), { wish: { count: 7 }, maxPageSize: 4 });
    expect(many).toEqual({ serials: [6, 7, 8, 9], truncatedByLimit: true, truncatedByRetention: false });
    expect(await select(history(1, 4), { wish: { count: 7 }, maxPageSize: 4 })).toEqual({
      serials: [1, 2, 3, 4],
      ...WHOLE,
    });
    expect(await select(history(4, 6), { wish: { count: 5 } })).toEqual({
      serials: [4, 5, 6],
      truncatedByLimit: false,
      truncatedByRetention: true,
    });
    expect(await select(history(4, 6), { wish: { count: 3 } })).toMatchObject(WHOLE);
  });

  it('of a period is all of it, or the newest of what is too much', async () => {
    const nowMs = 200_000;
    expect(await select(history(1, 200), { wish: { seconds: 3 }, nowMs })).toEqual({
      serials: [197, 198, 199, 200],
      ...WHOLE,
    });
    const much = await select(history(1, 200), { wish: { seconds: 150 }, nowMs });
    expect(much.serials).toEqual(Array.from({ length: 100 }, (_, n) => n + 101));
    expect(much).toMatchObject({ truncatedByLimit: true, truncatedByRetention: false });
    const old = await select(history(190, 200), { wish: { seconds: 60 }, nowMs });
    expect(old).toMatchObject({ truncatedByLimit: false, truncatedByRetention: true });
    expect(await select(history(1, 20), { wish: { seconds: 1000 }, nowMs })).toMatchObject(WHOLE);
  });

  it('is looked for as far as sixteen pages where a filter leaves little', async () => {
    const loud = await select(history(1, 20), { wish: { count: 3 }, maxPageSize: 4, isWanted: isLoud });
    expect(loud).toEqual({ serials: [16, 18, 20], ...WHOLE });
    const reader = history(1, 100);
    const none = await select(reader, { wish: { count: 3 }, maxPageSize: 4, isWanted: () => false });
    expect(none).toEqual({ serials: [], truncatedByLimit: true, truncatedByRetention: false });
    expect(reader.limits).toHaveLength(16);
  });

  it('is never more than may be, in order, without a hole among what is wanted', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 40 }),
        fc.nat(60),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 10 }),
        fc.boolean(),
        async (floor, length, count, maxPageSize, onlyLoud) => {
          const head = floor + length - 1;
          const isWanted: SelectionQuery['isWanted'] = onlyLoud ? isLoud : () => true;
          const { serials } = await select(history(floor, head), { wish: { count }, maxPageSize, isWanted });
          const wanted: number[] = [];
          for (let serial = head; serial >= floor && head - serial < 16 * maxPageSize; serial -= 1)
            if (!onlyLoud || serial % 2 === 0) wanted.push(serial);
          expect(serials).toEqual(wanted.slice(0, Math.min(count, maxPageSize)).reverse());
        },
      ),
    );
  });
});

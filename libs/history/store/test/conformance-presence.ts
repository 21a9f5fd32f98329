import { describe, expect, it } from 'vitest';
import type { DurableStore, MembersQuery, MemberThere, PageQuery, PresenceEvent } from '../src/index.js';
import { purgeAll } from './conformance-purge.js';
import { addressOf, DAY_MS, headOf, NOTHING, NOW_MS, streamIn, wantedOf } from './scene.js';

const HOSTILE = `{"n":"\u00c4'); drop table x; --\\\\"}`;

/** Appends events to a stream of presence. */
export async function transitions(
  store: DurableStore,
  channel: string,
  events: readonly Partial<PresenceEvent>[],
  caps: { readonly maxMessages?: number; readonly maxBytes?: number } = {},
): Promise<readonly PresenceEvent[]> {
  const address = addressOf(channel, 'presence');
  const { changes } = await store.commit(wantedOf([address]), (found) => {
    const stream = streamIn(found, address);
    const { streamKey, generation, nextHistorySerial } = stream;
    const written = events.map((more, index): PresenceEvent => ({
      streamKey,
      generation,
      serial: nextHistorySerial + index,
      atMs: NOW_MS + index,
      event: 'member_added',
      cause: 'join',
      userId: `u${index}`,
      connectionId: '1.2',
      deadNodeId: null,
      body: HOSTILE,
      bodySize: 10,
      keepUntilMs: NOW_MS + DAY_MS,
      ...more,
    }));
    return {
      changes: {
        ...NOTHING,
        presenceEvents: written,
        streams: [
          {
            ...stream,
            nextHistorySerial: nextHistorySerial + events.length,
            nextDeliverySerial: nextHistorySerial + events.length,
            retainedMessages: stream.retainedMessages + events.length,
            retainedBytes: stream.retainedBytes + events.length * 10,
            newestPublishedAtMs: NOW_MS + events.length - 1,
            lastKeepDay: '2026-03-20',
            ...caps,
          },
        ],
      },
    };
  });
  return changes.presenceEvents;
}

/** Requirements of presence histories of every store. */
export function conformanceOfPresence(current: () => DurableStore): void {
  const eventsOf = async (channel: string, more: Partial<PageQuery> = {}) =>
    current().presenceEvents({
      stream: await headOf(current(), addressOf(channel, 'presence')),
      nowMs: NOW_MS,
      newestFirst: false,
      fromSerial: null,
      toSerial: null,
      fromMs: null,
      toMs: null,
      limit: 100,
      ...more,
    });
  const serialsOf = async (channel: string, more: Partial<PageQuery> = {}) =>
    (await eventsOf(channel, more)).map(({ serial }) => serial);

  describe('remembers who came and went', () => {
    it('as it was written', async () => {
      const written = await transitions(current(), 'presence-kept', [
        {},
        { event: 'member_updated', userId: HOSTILE },
        {
          event: 'member_removed',
          cause: 'orphan_cleanup',
          deadNodeId: 'n1',
          connectionId: null,
          body: 'null',
        },
      ]);
      expect(await eventsOf('presence-kept')).toEqual(written);
    });

    it('in pages with bounds', async () => {
      await transitions(current(), 'presence-pages', [{}, {}, {}, {}, {}]);
      expect(await serialsOf('presence-pages', { newestFirst: true, limit: 2 })).toEqual([5, 4]);
      expect(await serialsOf('presence-pages', { fromSerial: 2, toSerial: 3 })).toEqual([2, 3]);
      expect(await serialsOf('presence-pages', { fromMs: NOW_MS + 1, toMs: NOW_MS + 2 })).toEqual([2, 3]);
    });

    it('until its time, and within the caps', async () => {
      await transitions(current(), 'presence-expired', [{ keepUntilMs: NOW_MS }, {}, {}]);
      expect(await serialsOf('presence-expired')).toEqual([2, 3]);
      const stream = await headOf(current(), addressOf('presence-expired', 'presence'));
      expect(await current().retained(stream, NOW_MS)).toEqual({
        oldest: { serial: 2, publishedAtMs: NOW_MS + 1 },
        newest: { serial: 3, publishedAtMs: NOW_MS + 2 },
        messages: 2,
        bytes: 20,
      });
      await transitions(current(), 'presence-counted', [{}, {}, {}], { maxMessages: 2 });
      expect(await serialsOf('presence-counted')).toEqual([2, 3]);
      await transitions(current(), 'presence-sized', [{}, {}, {}], { maxBytes: 15 });
      expect(await serialsOf('presence-sized')).toEqual([3]);
    });

    it('and who is there, page by page', async () => {
      const [one, two] = [
        addressOf('presence-there-1', 'presence'),
        addressOf('presence-there-2', 'presence'),
      ];
      const users: readonly [typeof one, string, boolean][] = [
        [one, HOSTILE, true],
        [one, 'gone', false],
        [one, '~', true],
        [two, 'a', true],
      ];
      for (const address of [one, two])
        await current().commit(wantedOf([address]), (found) => {
          const { streamKey, generation } = streamIn(found, address);
          const own = users.filter(([of]) => of === address);
          const presenceMembers = own.map(([, userId, present]) => {
            return { streamKey, generation, userId, present, lastNo: 1, lastSerial: 1 };
          });
          return { changes: { ...NOTHING, presenceMembers } };
        });
      const seen: string[] = [];
      for (let after: MembersQuery['after'] = null; ;) {
        const page: readonly MemberThere[] = (await current().membersThere({ after, limit: 2 })) ?? [];
        seen.push(...page.map(({ appId, channel, userId }) => JSON.stringify([appId, channel, userId])));
        after = page.at(-1) ?? null;
        if (after === null) break;
      }
      const keys = new Map<typeof one, bigint>();
      for (const address of [one, two])
        keys.set(address, BigInt((await headOf(current(), address)).streamKey));
      const there = users
        .filter(([, , present]) => present)
        .sort(([first], [second]) => ((keys.get(first) ?? 0n) < (keys.get(second) ?? 0n) ? -1 : 1))
        .map(([{ appId, channel }, userId]) => JSON.stringify([appId, channel, userId]));
      expect(seen.filter((member) => member.includes('presence-there'))).toEqual(there);
      expect(new Set(seen).size).toBe(seen.length);
    });

    it('and forgets it in a purge', async () => {
      const keepUntilMs = NOW_MS + 9 * DAY_MS;
      await transitions(current(), 'presence-purged', [{}, {}, { keepUntilMs }]);
      await transitions(current(), 'presence-trimmed', [{ keepUntilMs }, { keepUntilMs }], {
        maxMessages: 1,
      });
      await purgeAll(current(), NOW_MS + 2 * DAY_MS);
      expect(await serialsOf('presence-purged')).toEqual([3]);
      for (const channel of ['presence-purged', 'presence-trimmed'])
        expect(await headOf(current(), addressOf(channel, 'presence'))).toMatchObject({
          retainedMessages: 1,
          retainedBytes: 10,
        });
    });
  });
}

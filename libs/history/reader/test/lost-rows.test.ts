import { type CommitRecord } from '@carillon/contracts';
import { type StreamKind, streamName } from '@carillon/history-store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FaultDesk, HistoryReader, PresenceHistoryReader, readHistoryQuery } from '../src/index.js';
import { type Opened, openEmbedded, openMysql, openPostgres } from './stores.js';
import { publishOf, resetOf, transition, write } from './writing.js';

const STORES = [
  { name: 'postgres', open: openPostgres },
  { name: 'mariadb', open: openMysql },
  { name: 'embedded postgres', open: openEmbedded },
] as const;

const DAY_MS = 86_400_000;
const NOW_MS = Date.parse('2026-03-05T10:30:00Z');

const query = (parameters: Record<string, string>) => readHistoryQuery(parameters, 100);

describe.each(STORES)('a row that is lost from $name', ({ open }) => {
  let opened: Opened;
  let sent: CommitRecord[];
  let nowMs: number;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());

  /** A channel with as many rows of each kind. */
  async function scene(channel: string, rows: number) {
    nowMs = NOW_MS;
    sent = [];
    const commit = (records: readonly CommitRecord[]) => {
      sent.push(...records);
      return write(opened.store, records, nowMs);
    };
    const faults = new FaultDesk({
      commits: { commit },
      nodeId: 'node-1',
      elapsed: () => nowMs,
      onClaim: () => undefined,
      onTrouble: (error) => {
        throw error;
      },
    });
    const parts = { store: opened.store, now: () => nowMs, faults };
    const options = { timeoutMs: 5000, source: 'durable_store' } as const;
    const messages = new HistoryReader(parts, options);
    const presence = new PresenceHistoryReader(parts, options);
    const members = Array.from({ length: rows }, (_, index) =>
      transition('member_added', `u${index}`, {}, channel),
    );
    await commit(Array.from({ length: rows }, () => publishOf(channel)));
    await commit(members);
    sent = [];
    const head = async (kind: StreamKind) => {
      const address = { appId: 'shop', channel, kind };
      const stream = (await opened.store.heads([address])).get(streamName(address));
      if (stream === undefined) throw new Error('there is no stream');
      return stream;
    };
    return {
      commit,
      head,
      page: async (parameters: Record<string, string> = {}) =>
        (await messages.page('shop', channel, query(parameters))).items.map(({ serial }) => serial),
      presencePage: (parameters: Record<string, string> = {}) =>
        presence.page('shop', channel, query(parameters)),
      lose: async (kind: StreamKind, serial: number) => {
        const { streamKey } = await head(kind);
        const [table, column] =
          kind === 'messages' ? ['records', 'history_serial'] : ['presence_events', 'serial'];
        await opened.tamper?.(
          `delete from service_history_${table} where stream_key = ${streamKey} and ${column} = ${serial}`,
        );
      },
      double: async (serial: number, other: number) =>
        opened.tamper?.(
          `update service_history_records set history_serial = ${serial}
            where stream_key = ${(await head('messages')).streamKey} and history_serial = ${other}`,
        ),
    };
  }

  const unavailable = { code: 'service_unavailable' };
  const states = { durable: { state: 'reset_required', nodeId: 'node-1' } };

  it.each([
    ['in the middle', 3, {}],
    ['the newest', 5, {}],
    ['the newest', 5, { direction: 'oldest_first' }],
    ['behind the end of a page', 3, { limit: '2' }],
    ['and is all that was asked for', 3, { start_serial: '3', end_serial: '3' }],
    ['between bounds of time', 3, { start_time_ms: String(NOW_MS), end_time_ms: String(NOW_MS) }],
  ])('%s is not passed over: a reset is required, and heals it', async (_where, serial, parameters) => {
    const { page, lose, head, commit } = await scene(`lost ${serial} ${JSON.stringify(parameters)}`, 5);
    await page(parameters);
    await lose('messages', serial);
    await expect(page(parameters)).rejects.toMatchObject({ ...unavailable, message: /history_serial_gap/ });
    expect(await head('messages')).toMatchObject({
      durable: { ...states.durable, reason: 'history_serial_gap' },
    });
    await expect(page()).rejects.toMatchObject(unavailable);
    expect(sent).toHaveLength(1);
    const { channel } = (await head('messages')).address;
    expect(await commit([publishOf(channel)])).toMatchObject([{ status: 'applied', delivery_serial: 6 }]);
    await commit([resetOf('messages', channel)]);
    await commit([publishOf(channel)]);
    expect(await page()).toEqual([1]);
    expect(await head('messages')).toMatchObject({ durable: { state: 'healthy' } });
  });

  it('does not hide that another has its serial', async () => {
    const { page, double, head } = await scene('doubled', 5);
    await double(3, 4);
    await expect(page({ end_serial: '3' })).rejects.toMatchObject({
      ...unavailable,
      message: /history_serial_conflict/,
    });
    expect(await head('messages')).toMatchObject({
      durable: { ...states.durable, reason: 'history_serial_conflict' },
    });
  });

  it('of the coming and going of members is told like one of messages, and the page says so from then on', async () => {
    const { presencePage, lose, head } = await scene('presence-lost', 5);
    await lose('presence', 2);
    await expect(presencePage()).rejects.toMatchObject({ ...unavailable, message: /history_serial_gap/ });
    expect(await head('presence')).toMatchObject({ durable: { state: 'reset_required' } });
    expect(await head('messages')).toMatchObject({ durable: { state: 'healthy' } });
    expect(await presencePage()).toMatchObject({
      items: [{ serial: 5 }, { serial: 4 }, { serial: 3 }, { serial: 1 }],
      continuity: { degraded: true, complete: false },
      stream_state: { reset_required: true, reason: 'history_serial_gap' },
    });
    expect(sent).toHaveLength(1);
  });

  it('is told from rows that a shorter policy has ended, before and after they are removed', async () => {
    const channel = 'changed twice';
    const { page, commit, head } = await scene(channel, 2);
    const long = { history_ms: 9 * DAY_MS };
    await commit([publishOf(channel, long)]);
    await commit([publishOf(channel, { history_ms: 60_000 }), publishOf(channel, { history_ms: 60_000 })]);
    expect(await page()).toEqual([5, 4, 3, 2, 1]);
    nowMs += 60_000;
    expect(await page()).toEqual([3, 2, 1]);
    await commit([publishOf(channel, long)]);
    expect(await page()).toEqual([6, 3, 2, 1]);
    nowMs += 2 * DAY_MS;
    for (let more = true; more;) {
      const step = await opened.store.purge({ nowMs, batch: 500, receiptsKeptMs: 0, windowMs: DAY_MS });
      more = step?.more ?? true;
    }
    expect(await page({ direction: 'forward' })).toEqual([3, 6]);
    const asked = sent.filter(({ op }) => op === 'mark').length;
    for (let again = 0; again < 3; again += 1) expect(await page()).toEqual([6, 3]);
    expect(sent.filter(({ op }) => op === 'mark')).toHaveLength(asked);
    expect(await head('messages')).toMatchObject({ durable: { state: 'healthy', changedAtMs: null } });
  });
});

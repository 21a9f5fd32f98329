import { App } from '@carillon/app-registry';
import { Channels } from '@carillon/channels';
import { ServiceError } from '@carillon/errors';
import type { HistoryPageBody, HistoryQuery } from '@carillon/history-reader';
import type { Outlet } from '@carillon/realtime';
import type { Fact, FrameError, HistoryWish } from '@carillon/protocol';
import { Capabilities } from '@carillon/auth';
import { describe, expect, it, vi } from 'vitest';
import type { Connection } from '../src/connection/connection.js';
import { ChannelHistories } from '../src/v2/channel-history.js';
import { config, record } from './samples.js';

const PAGE = { items: [], bounds: { start_serial: null } } as unknown as HistoryPageBody;
const WISH: HistoryWish = {
  limit: 100,
  direction: 'newest_first',
  cursor: null,
  startSerial: null,
  endSerial: null,
  startTimeMs: null,
  endTimeMs: null,
  untilAttach: false,
};

interface Setting {
  readonly policy?: object;
  readonly capabilities?: Capabilities;
  readonly attachSerial?: number | null;
  readonly showsTags?: boolean;
  readonly page?: (query: HistoryQuery) => Promise<HistoryPageBody>;
}

function scene({
  policy,
  capabilities,
  attachSerial = null,
  showsTags = true,
  page = async () => PAGE,
}: Setting = {}) {
  const settings = config({
    HISTORY_ENABLED: 'true',
    HISTORY_BACKEND: 'memory',
    HISTORY_MAX_PAGE_SIZE: '50',
  });
  const app = new App(record(policy ?? {}), settings);
  const said: string[] = [];
  const outlet = {
    error: (_: unknown, { code }: FrameError) => said.push(String(code)),
    send: (_: unknown, fact: Fact) => said.push(fact.kind === 'history_page' ? fact.pageText : fact.kind),
  } as unknown as Outlet;
  const asked: HistoryQuery[] = [];
  const histories = new ChannelHistories({
    channels: new Channels(settings),
    outlet,
    reader: {
      page: (_app, _channel, query) => {
        asked.push(query);
        return page(query);
      },
    },
    maxPageSize: settings.history.max_page_size,
    tags: { areShown: () => showsTags },
    onTrouble: () => undefined,
  });
  const point = { attachSerial, position: null };
  const connection = {
    hub: { app, appId: app.id },
    subscriptions: new Map([
      ['orders', { channel: { seen: () => undefined } }],
      ['ns:room#ada', {}],
    ]),
    attachPoints: attachSerial === null ? null : new Map([['orders', point]]),
    userId: 'bo',
    capabilities: capabilities ?? Capabilities.NONE,
    isOpen: true,
    lane: null as object | null,
  };
  const ask = (wish: Partial<HistoryWish> = {}, channel = 'orders') =>
    histories.handle(connection as unknown as Connection, {
      kind: 'channel-history',
      channel,
      wish: { ...WISH, ...wish },
    });
  return { ask, said, asked, connection };
}

describe('a page of a history over a socket', () => {
  it.each([true, false])('has tags in its messages only if they go to subscribers: %s', async (showsTags) => {
    const message = { event: 'news', data: 'x', tags: { region: 'eu' }, serial: 1 };
    const page = async () => ({ ...PAGE, items: [{ serial: 1, message }] }) as unknown as HistoryPageBody;
    const { ask, said } = scene({ showsTags, page });
    await ask();
    const { items } = JSON.parse(said[0] ?? '') as { items: unknown };
    const { tags, ...rest } = message;
    expect(items).toEqual([{ serial: 1, message: showsTags ? { ...rest, tags } : rest }]);
  });

  it('is no longer than may be, and bounded by where the subscription began if that is wanted', async () => {
    const { ask, said, asked } = scene({ attachSerial: 7 });
    await ask({ limit: 5000 });
    await ask({ limit: 3, endSerial: 9, untilAttach: true });
    await ask({ startSerial: 8, untilAttach: true });
    expect(asked.map(({ limit, bounds }) => [limit, bounds.start_serial, bounds.end_serial])).toEqual([
      [50, null, null],
      [3, null, 7],
      [50, 8, 7],
    ]);
    expect(said.map((text) => (JSON.parse(text) as HistoryPageBody).bounds)).toEqual([
      { start_serial: null, until_attach: false, attach_serial: 7 },
      { start_serial: null, until_attach: true, attach_serial: 7 },
      { start_serial: null, until_attach: true, attach_serial: 7 },
    ]);
  });

  it('is refused where it is not for the connection', async () => {
    const { ask, said } = scene({
      policy: {
        channels: { channel_namespaces: [{ name: 'ns', allow_user_limited_channels: true }] },
      },
    });
    await ask({}, 'other');
    await ask({}, 'ns:room#ada');
    await ask({ untilAttach: true });
    await ask({ startSerial: 3, endSerial: 2 });
    await ask({ startTimeMs: 3, endTimeMs: 2 });
    expect(said).toEqual(['4301', '4009', '4000', '4000', '4000']);
    const off = scene({ policy: { history: { enabled: false } } });
    await off.ask();
    expect(off.said).toEqual(['4300']);
    const capabilities = Capabilities.ofToken(new Map([['subscribe', ['orders']]]));
    const token = scene({ capabilities });
    await token.ask();
    expect(token.said).toEqual(['4009']);
  });

  it('is one of two at one time, and a third is refused', async () => {
    const answers: ((page: HistoryPageBody) => void)[] = [];
    const isAnswered = new Promise<HistoryPageBody>((resolve) => void answers.push(resolve));
    const { ask, said } = scene({ page: () => isAnswered });
    const under = [ask(), ask()];
    await ask();
    expect(said).toEqual(['4301']);
    for (const answer of answers) answer(PAGE);
    for (const one of under) await one;
    await ask();
    expect(said).toHaveLength(4);
  });

  it('refuses a third request in a turn of the loop when the store answers at once', async () => {
    const { ask, said } = scene();
    const asked: unknown[] = [];
    for (let request = 0; request < 3; request += 1) {
      asked.push(ask());
      // The answer of a memory store arrives before the next frame is read.
      await Promise.resolve().then(() => undefined);
    }
    expect(said.filter((text) => text === '4301')).toHaveLength(1);
    await Promise.all(asked);
    await ask();
    expect(said.filter((text) => text === '4301')).toHaveLength(1);
  });

  it('counts a request as running until the client has read its answer', async () => {
    const { ask, said, connection } = scene();
    connection.lane = {};
    const unread = [ask(), ask()];
    await vi.waitFor(() => expect(said).toHaveLength(2));
    await ask();
    expect(said.at(-1)).toBe('4301');
    connection.lane = null;
    for (const one of unread) await one;
    await ask();
    expect(said.at(-1)).not.toBe('4301');
  });

  it('says what was wrong with the question, and that it could not be read', async () => {
    const failures = [new ServiceError('invalid_input', { text: 'invalid cursor' }), new Error('away')];
    const { ask, said } = scene({ page: async () => Promise.reject(failures.shift()) });
    await ask({ cursor: 'x' });
    await ask();
    expect(said).toEqual(['4000', '4303']);
  });
});

import { call } from '../tenant.js';
import type { ChannelHistory, DurablePublication, Row } from './records.js';

const LIMIT = 100;

interface Item {
  readonly stream_id: string;
  readonly serial: number;
  readonly message_id: string | null;
  readonly message: { readonly data: string };
}

interface Page {
  readonly items: readonly Item[];
  readonly next_cursor: string | null;
}

const rowOf = ({ serial, message_id: messageId, message }: Item): Row => {
  const { publisher, number } = JSON.parse(message.data) as { publisher: string; number: number };
  return { serial, publisher, number, messageId };
};

async function ask<Answer>(port: number, path: string, query: Record<string, string> = {}): Promise<Answer> {
  const { status, body } = await call(port, 'GET', path, { query });
  if (status !== 200) throw new Error(`GET ${path}: HTTP ${status} ${body}`);
  return JSON.parse(body) as Answer;
}

const pathOf = (channel: string): string => `/channels/${encodeURIComponent(channel)}/history`;

async function walk(port: number, channel: string, direction: string): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | null = null;
  do {
    const query = { direction, limit: String(LIMIT), ...(cursor === null ? {} : { cursor }) };
    const page: Page = await ask<Page>(port, pathOf(channel), query);
    if (page.items.length === 0 && page.next_cursor !== null)
      throw new Error(`the history of ${channel} goes on after an empty page`);
    items.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return items;
}

/** Everything of a channel, both ways, and what is said of it. Rejects when a page is refused. */
export async function readHistory(port: number, channel: string): Promise<ChannelHistory> {
  const forwards = await walk(port, channel, 'oldest_first');
  const backwards = await walk(port, channel, 'newest_first');
  const { stream } = await ask<{ stream: { next_serial: number | null; state: { durable_state: string } } }>(
    port,
    `${pathOf(channel)}/state`,
  );
  return {
    channel,
    streamIds: [...new Set([...forwards, ...backwards].map(({ stream_id: streamId }) => streamId))],
    rows: forwards.map(rowOf),
    backwards: backwards.map(({ serial }) => serial),
    nextSerial: stream.next_serial,
    state: stream.state.durable_state,
  };
}

/** Whether the newest events of a channel show this one; null: so many are newer that it may be behind them. */
export async function historyHolds(port: number, publication: DurablePublication): Promise<boolean | null> {
  const { items } = await ask<Page>(port, pathOf(publication.channel), { limit: String(LIMIT) });
  const found = items
    .map(rowOf)
    .some(({ publisher, number }) => publisher === publication.publisher && number === publication.number);
  return !found && items.length === LIMIT ? null : found;
}

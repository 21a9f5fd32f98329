import { CompatError, fromLatest, inFormat } from '@carillon/compat-core';
import type { HistoryReader } from '@carillon/history';
import type { Entry } from './access.js';
import { type Ask, formatOfAnswer, type Reply } from './exchange.js';
import { directionOf, limitOf, linkTo } from './paging.js';

/** Of these the link to another page is made. */
const KEPT = ['limit', 'direction', 'start', 'end', 'format'] as const;

/** Reads what was published to a channel. */
export class History {
  constructor(
    private readonly reader: Pick<HistoryReader, 'page'> | null,
    private readonly entry: Entry,
    private readonly maxPageSize: number,
  ) {}

  readonly page = async (ask: Ask): Promise<Reply> => {
    const { principal, channel } = await this.entry.channel(ask, ['history']);
    const query = queryOf(ask.query, this.maxPageSize);
    await this.entry.count(principal, 'read');
    const links = { first: linkTo(ask, KEPT, null) };
    if (!channel.policy.history.enabled) return { status: 200, body: [], links };
    if (this.reader === null) throw new CompatError(50_003, 'no way to the history');
    const page = await this.reader.page(principal.app.id, channel.name, query);
    const format = formatOfAnswer(ask);
    const body = page.items.flatMap(({ message, message_id: id, published_at_ms: atMs }) => {
      const shown = fromLatest(message, id, atMs);
      return shown === null ? [] : [inFormat(shown, format)];
    });
    const next = page.next_cursor;
    return { status: 200, body, links: next === null ? links : { ...links, next: linkTo(ask, KEPT, next) } };
  };
}

function queryOf(query: Ask['query'], maxPageSize: number) {
  const limit = limitOf(query);
  const direction = directionOf(query['direction'] ?? 'backwards');
  if (query['untilAttach'] === 'true' && query['from_serial'] === undefined)
    throw new CompatError(40_000, 'untilAttach needs from_serial');
  const start = timeOf(query['start'], 'start');
  const end = timeOf(query['end'], 'end');
  if (start !== null && end !== null && start > end) throw new CompatError(40_000, 'start is after end');
  return {
    limit: Math.min(limit, maxPageSize),
    direction,
    cursor: query['cursor'] ?? null,
    bounds: { start_serial: null, end_serial: null, start_time_ms: start, end_time_ms: end },
  };
}

function timeOf(text: string | undefined, name: string): number | null {
  if (text === undefined) return null;
  if (!/^\d{1,15}$/.test(text)) throw new CompatError(40_000, `${name} must be a time in milliseconds`);
  return Number(text);
}

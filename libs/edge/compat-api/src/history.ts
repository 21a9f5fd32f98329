import { CompatError, fromLatest, inFormat } from '@carillon/compat-core';
import type { HistoryReader } from '@carillon/history';
import type { Entry } from './access.js';
import { type Ask, formatOfAnswer, type Reply } from './exchange.js';
import { historyQuery } from './history-query.js';
import { linkTo } from './paging.js';

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
    const query = historyQuery(ask.query, this.maxPageSize);
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

import { CompatError, fromLatest, inFormat, orRefused } from '@carillon/ably-core';
import type { HistoryReader } from '@carillon/history-reader';
import type { Entry } from './access.js';
import { type Ask, formatOfAnswer, type Reply } from './exchange.js';
import type { FromSerial } from './from-serial.js';
import { historyQuery } from './history-query.js';
import { linkTo } from './paging.js';
import type { Summaries } from './summaries.js';

/** Parameters repeated in the link to the next page. */
const KEPT = ['limit', 'direction', 'start', 'end', 'from_serial', 'untilAttach', 'format'] as const;

/** Reads the messages of a channel. */
export class History {
  constructor(
    private readonly reader: Pick<HistoryReader, 'page'> | null,
    /** Null: as the reader. */
    private readonly from: FromSerial | null,
    private readonly summaries: Summaries,
    private readonly entry: Entry,
    private readonly maxPageSize: number,
  ) {}

  readonly page = async (ask: Ask): Promise<Reply> => {
    const access = await this.entry.channel(ask, ['history']);
    const { principal, channel } = access;
    const query = historyQuery(ask.query, this.maxPageSize);
    await this.entry.count(principal, 'read');
    const links = { first: linkTo(ask, KEPT, null) };
    if (!channel.policy.history.enabled) return { status: 200, body: [], links };
    if (this.reader === null || this.from === null) throw new CompatError(50_003, 'no way to the history');
    const { from_serial: from } = ask.query;
    const end = from === undefined ? null : await this.from.endOf(access, from);
    const bounds = { ...query.bounds, end_serial: end };
    const page = await orRefused(this.reader.page(principal.app.id, channel.name, { ...query, bounds }));
    const format = formatOfAnswer(ask);
    const shown = page.items.flatMap(
      ({ message, message_id: id, published_at_ms: atMs }) => fromLatest(message, id, atMs) ?? [],
    );
    const body = (await this.summaries.added(access, shown)).map((one) => inFormat(one, format));
    this.entry.outbound(principal, shown);
    const next = page.next_cursor;
    return { status: 200, body, links: next === null ? links : { ...links, next: linkTo(ask, KEPT, next) } };
  };
}

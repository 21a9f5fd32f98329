import { CompatError, fromNative, inFormat, isObject, type WireFormat } from '@carillon/compat-core';
import type { HistoryItemBody, HistoryReader } from '@carillon/history';
import type { Entry } from './access.js';
import type { Ask, Reply } from './exchange.js';

const DEFAULT_LIMIT = 100;
const DIRECTIONS: Readonly<Record<string, 'newest_first' | 'oldest_first'>> = {
  backwards: 'newest_first',
  newest_first: 'newest_first',
  reverse: 'newest_first',
  forwards: 'oldest_first',
  forward: 'oldest_first',
  oldest_first: 'oldest_first',
};
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
    const links = { first: linkTo(ask, null) };
    if (!channel.policy.history.enabled) return { status: 200, body: [], links };
    if (this.reader === null) throw new CompatError(50_003, 'no way to the history');
    const page = await this.reader.page(principal.app.id, channel.name, query);
    const format = formatOf(ask);
    const body = page.items.flatMap((item) => messageOf(item, format) ?? []);
    const next = page.next_cursor;
    return { status: 200, body, links: next === null ? links : { ...links, next: linkTo(ask, next) } };
  };
}

function queryOf(query: Ask['query'], maxPageSize: number) {
  const limit = query['limit'] ?? String(DEFAULT_LIMIT);
  if (!/^[1-9]\d{0,8}$/.test(limit)) throw new CompatError(40_003, 'limit must be an integer of at least 1');
  const direction = DIRECTIONS[query['direction'] ?? 'backwards'];
  if (direction === undefined) throw new CompatError(40_000, 'direction is not known');
  if (query['untilAttach'] === 'true' && query['from_serial'] === undefined)
    throw new CompatError(40_000, 'untilAttach needs from_serial');
  const start = timeOf(query['start'], 'start');
  const end = timeOf(query['end'], 'end');
  if (start !== null && end !== null && start > end) throw new CompatError(40_000, 'start is after end');
  return {
    limit: Math.min(Number(limit), maxPageSize),
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

function linkTo({ request, query }: Ask, cursor: string | null): string {
  const word = request.rawPath.split('/').at(-1) ?? '';
  const kept = new URLSearchParams();
  for (const name of KEPT) if (query[name] !== undefined) kept.set(name, query[name]);
  if (cursor !== null) kept.set('cursor', cursor);
  return `./${word}?${kept.toString()}`;
}

/** Data that was binary is so again where the answer can hold it. */
const formatOf = ({ request, query }: Ask): WireFormat =>
  (query['format'] ?? request.header('accept') ?? request.header('content-type') ?? '').includes('msgpack')
    ? 'msgpack'
    : 'json';

function messageOf({ message, published_at_ms: atMs }: HistoryItemBody, format: WireFormat): object | null {
  if (!isObject(message)) return null;
  const { event, message_id: id, user_id: userId, data, extras } = message;
  const native = {
    event: typeof event === 'string' ? event : '',
    messageId: typeof id === 'string' ? id : '',
    userId: typeof userId === 'string' ? userId : null,
    dataText: data === undefined ? null : JSON.stringify(data),
    extrasText: isObject(extras) ? JSON.stringify(extras) : null,
  };
  const shown = fromNative(native, atMs);
  return shown === null ? null : inFormat(shown, format);
}

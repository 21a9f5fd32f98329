import type { OrdinaryChannel } from '@carillon/channels';
import { CompatError, isObject } from '@carillon/compat-core';
import type { HistoryReader } from '@carillon/history';
import { type Message, readMessageV2 } from '@carillon/protocol';

/** What a client missed on a channel, and where the channel is. */
export interface Missed {
  /** Null: nothing of the channel is kept. */
  readonly position: string | null;
  /** Nothing but these was missed. */
  readonly isProven: boolean;
  readonly messages: readonly KeptMessage[];
  /** Why it cannot be told; null: it can, or nobody asked. */
  readonly error: CompatError | null;
}

export interface KeptMessage {
  readonly message: Message;
  readonly atMs: number;
}

interface Place {
  readonly appId: string;
  readonly channel: string;
}

const MAX_MISSED = 4096;
const MAX_REWIND = 100;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };
const NOT_STORED = { action: 'plain', isFromClient: true, mayBeDelta: false } as const;

type Page = Awaited<ReturnType<HistoryReader['page']>>;

/** Finds in the history what somebody missed. */
export class Continuity {
  constructor(
    /** Null: this process has no way to it. */
    private readonly reader: Pick<HistoryReader, 'page'> | null,
    private readonly maxPageSize: number,
  ) {}

  /** @throws CompatError 40000 for a rewind that is none. */
  async since(
    place: Place,
    channel: OrdinaryChannel,
    channelSerial: string | null,
    params: Readonly<Record<string, string>>,
  ): Promise<Missed> {
    const rewind = rewindOf(params);
    const { history } = channel.policy;
    if (rewind !== null && !history.rewindEnabled)
      throw new CompatError(40_000, 'rewind is not enabled on this channel');
    if (!history.enabled || this.reader === null) return nothingKept(channelSerial);
    try {
      return await this.#read(this.reader, place, channelSerial, rewind);
    } catch (error) {
      if (channelSerial === null && rewind === null) throw error;
      const unreadable = new CompatError(90_000, 'the history cannot be read', 500);
      return { position: null, isProven: false, messages: [], error: unreadable };
    }
  }

  async #read(
    reader: Pick<HistoryReader, 'page'>,
    place: Place,
    channelSerial: string | null,
    rewind: Rewind | null,
  ): Promise<Missed> {
    const newest = await this.#page(reader, place, 'newest_first', { limit: 1 });
    const position = positionOf(newest);
    const from = channelSerial === null ? null : readPosition(channelSerial);
    const current = position === null ? null : readPosition(position);
    if (channelSerial !== null) {
      const isKnown =
        from !== null &&
        current !== null &&
        from.streamId === current.streamId &&
        from.serial <= current.serial;
      if (isKnown) return this.#after(reader, place, from.serial, current.serial, position);
    }
    const error =
      channelSerial === null ? null : new CompatError(90_005, 'the position is not of this stream');
    const messages = rewind === null || error !== null ? [] : await this.#rewound(reader, place, rewind);
    return { position, isProven: false, messages, error };
  }

  async #after(
    reader: Pick<HistoryReader, 'page'>,
    place: Place,
    after: number,
    current: number,
    position: string | null,
  ): Promise<Missed> {
    const lost = (code: number, text: string): Missed => ({
      position,
      isProven: false,
      messages: [],
      error: new CompatError(code, text),
    });
    if (current - after > MAX_MISSED) return lost(90_004, 'too many messages were missed');
    const found: KeptMessage[] = [];
    let cursor: string | null = null;
    for (;;) {
      const page: Page = await this.#page(reader, place, 'newest_first', { cursor, limit: this.maxPageSize });
      const fresh = keptOf(page).filter(({ message }) => (message.serial ?? 0) > after);
      found.push(...fresh);
      cursor = page.next_cursor;
      if (fresh.length < page.items.length || cursor === null) break;
    }
    // A message in between that is not kept any more breaks the proof.
    if (found.length < current - after) return lost(90_003, 'the position is not retained any more');
    return { position, isProven: true, messages: found.reverse(), error: null };
  }

  async #rewound(
    reader: Pick<HistoryReader, 'page'>,
    place: Place,
    rewind: Rewind,
  ): Promise<readonly KeptMessage[]> {
    const { count, sinceMs } = rewind;
    const page = await this.#page(reader, place, 'newest_first', {
      limit: Math.min(count, MAX_REWIND, this.maxPageSize),
      start: sinceMs === null ? null : Date.now() - sinceMs,
    });
    return keptOf(page).toReversed();
  }

  #page(
    reader: Pick<HistoryReader, 'page'>,
    { appId, channel }: Place,
    direction: 'newest_first',
    { limit, cursor = null, start = null }: { limit: number; cursor?: string | null; start?: number | null },
  ): Promise<Page> {
    const bounds = { start_serial: null, end_serial: null, start_time_ms: start, end_time_ms: null };
    return reader.page(appId, channel, { limit, direction, cursor, bounds });
  }
}

const nothingKept = (channelSerial: string | null): Missed => ({
  position: null,
  isProven: false,
  messages: [],
  error: channelSerial === null ? null : new CompatError(90_005, 'the position is not of this stream'),
});

/** The newest message, as the position that live ones carry. */
function positionOf(page: Page): string | null {
  const [newest] = keptOf(page);
  if (newest === undefined)
    return page.stream_state.stream_id === null ? null : `${page.stream_state.stream_id}:0`;
  return `${newest.message.streamId ?? ''}:${newest.message.serial ?? 0}`;
}

function keptOf({ items }: Page): KeptMessage[] {
  return items.flatMap(({ message, published_at_ms: atMs }) => {
    const read = isObject(message) ? readMessageV2(JSON.stringify(message), NOT_STORED) : null;
    return read === null ? [] : [{ message: read, atMs }];
  });
}

function readPosition(text: string): { streamId: string; serial: number } | null {
  const colon = text.lastIndexOf(':');
  const serial = text.slice(colon + 1);
  return colon > 0 && /^\d{1,15}$/.test(serial)
    ? { streamId: text.slice(0, colon), serial: Number(serial) }
    : null;
}

interface Rewind {
  readonly count: number;
  readonly sinceMs: number | null;
}

function rewindOf(params: Readonly<Record<string, string>>): Rewind | null {
  const { rewind, rewindCount } = params;
  const count = rewindCount === undefined ? MAX_REWIND : countOf(rewindCount);
  if (rewind === undefined) return rewindCount === undefined ? null : { count, sinceMs: null };
  const [, amount = '', unit = ''] = /^(\d{1,9})([smh])$/.exec(rewind) ?? [];
  if (amount === '') return { count: Math.min(count, countOf(rewind)), sinceMs: null };
  return { count, sinceMs: Number(amount) * (UNIT_MS[unit] ?? 0) };
}

function countOf(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new CompatError(40_000, 'rewind must be a count or a period');
  return Number(text);
}

import type { HistoryReader, PastPage } from '@carillon/history-reader';
import type { Message, Rewind } from '@carillon/protocol';
import type { LoopShare } from '@carillon/runtime';
import { Frames } from '../codec.js';

/** Reads channel history. */
export type PastReader = Pick<HistoryReader, 'past'>;

/** The part of the history that a subscription starts with. */
export interface Selection {
  /** Oldest first. */
  readonly frames: readonly Frames[];
  readonly truncatedByRetention: boolean;
  readonly truncatedByLimit: boolean;
}

export interface SelectionQuery {
  readonly appId: string;
  readonly channel: string;
  readonly wish: Rewind;
  /** Newest serial to include. */
  readonly untilSerial: number;
  readonly maxPageSize: number;
  readonly nowMs: number;
  /** Whether the subscription receives the message. */
  readonly isWanted: (frames: Frames) => boolean;
  /** Event loop share in which messages are filtered. */
  readonly share: LoopShare;
}

/** Limit of pages searched for messages that pass a filter. */
const MAX_PAGES = 16;

/** Reads the newest messages that match the query. Rejects if the result would be incomplete. */
export async function selectPast(reader: PastReader, query: SelectionQuery): Promise<Selection> {
  const { appId, channel, wish, untilSerial, maxPageSize, nowMs } = query;
  const isCount = 'count' in wish;
  const desired = isCount ? Math.min(wish.count, maxPageSize) : maxPageSize;
  const bounds = {
    start_serial: null,
    end_serial: untilSerial,
    start_time_ms: isCount ? null : Math.max(0, nowMs - wish.seconds * 1000),
    end_time_ms: null,
  };
  const found: Frames[] = [];
  let cursor: string | null = null;
  let isMore = false;
  let isTruncated = false;
  let floor = 1;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page: PastPage = await reader.past(appId, channel, {
      limit: maxPageSize,
      direction: 'newest_first',
      cursor,
      bounds,
    });
    ({ floor, isTruncated } = page);
    const { messages, nextCursor } = page;
    const taken = await take(messages, { ...query, found, desired });
    isMore = page.hasMore || taken.left > 0;
    cursor = nextCursor;
    // For a period, all remaining messages count as omitted.
    if (taken.isBeyond || cursor === null || (isCount && found.length === desired)) break;
  }
  const isWhole = found.length === desired;
  return {
    frames: found.reverse(),
    truncatedByRetention: floor > 1 && (isCount ? !isWhole && !isMore : isTruncated && !isMore),
    truncatedByLimit: isMore && (!isCount || !isWhole || wish.count > maxPageSize),
  };
}

interface Taking extends Pick<SelectionQuery, 'appId' | 'isWanted' | 'share'> {
  readonly found: Frames[];
  readonly desired: number;
}

/**
 * Takes the requested messages of a page. `isBeyond`: there is one more than the limit; `left`: number of messages
 * not examined.
 */
async function take(
  messages: readonly { readonly message: Message; readonly publishedAtMs: number }[],
  { appId, isWanted, share, found, desired }: Taking,
): Promise<{ readonly isBeyond: boolean; readonly left: number }> {
  for (const [at, { message, publishedAtMs }] of messages.entries()) {
    const turn = share.turn(appId);
    if (turn !== undefined) await turn;
    const frames = new Frames(message, publishedAtMs);
    if (!share.measure(() => isWanted(frames))) continue;
    if (found.length === desired) return { isBeyond: true, left: messages.length - at };
    found.push(frames);
  }
  return { isBeyond: false, left: 0 };
}

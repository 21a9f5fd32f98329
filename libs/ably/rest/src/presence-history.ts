import { CompatError, inFormat, memberOf, orRefused, type WireMember } from '@carillon/ably-core';
import type { PresenceHistoryReader, PresenceItemBody } from '@carillon/history-reader';
import type { Access, Entry } from './access.js';
import { type Ask, formatOfAnswer, type Reply } from './exchange.js';
import { historyQuery } from './history-query.js';
import { cursorOf, linkTo, placeOf } from './paging.js';

const ACTIONS = { member_added: 2, member_removed: 3, member_updated: 4 } as const;
/** Parameters repeated in the link to the next page. */
const KEPT = ['limit', 'direction', 'start', 'end', 'clientId', 'connectionId', 'format'] as const;
/** Pages of the store searched for a rare member in one request; the next link continues. */
const MAX_PAGES = 8;

/** Reads joins, updates and leaves of a channel. */
export class PresenceHistory {
  constructor(
    private readonly reader: Pick<PresenceHistoryReader, 'page'> | null,
    private readonly entry: Entry,
    private readonly maxPageSize: number,
  ) {}

  readonly page = async (ask: Ask): Promise<Reply> => {
    const access = await this.entry.channel(ask, ['history'], true);
    const { clientId, connectionId, cursor } = ask.query;
    const { principal, channel } = access;
    // Cursors of the history do not contain the client id filter.
    const about = ['presence', principal.app.id, channel.name, clientId, connectionId];
    const query = {
      ...historyQuery(ask.query, this.maxPageSize),
      cursor: placeOf(about, cursor) ?? null,
    };
    await this.entry.count(access.principal, 'read');
    const links = { first: linkTo(ask, KEPT, null) };
    if (!access.channel.policy.presenceHistory.enabled) return { status: 200, body: [], links };
    const { members, next } = await this.#members(access, query, ask.query);
    const format = formatOfAnswer(ask);
    const body = members.map((member) => inFormat(member, format));
    if (next === null) return { status: 200, body, links };
    return { status: 200, body, links: { ...links, next: linkTo(ask, KEPT, cursorOf(about, next)) } };
  };

  async #members(
    { principal, channel }: Access,
    query: ReturnType<typeof historyQuery>,
    { clientId, connectionId }: Ask['query'],
  ): Promise<{ readonly members: readonly WireMember[]; readonly next: string | null }> {
    const { reader } = this;
    if (reader === null) throw new CompatError(50_003, 'no way to the history');
    const members: WireMember[] = [];
    let { cursor } = query;
    for (let pages = 0; pages < MAX_PAGES; pages += 1) {
      // Never more than fits: entries that were read and not returned would be lost to the next page.
      const asked = { ...query, cursor, limit: query.limit - members.length };
      const page = await orRefused(reader.page(principal.app.id, channel.name, asked));
      if (page.continuity.degraded)
        throw new CompatError(50_003, 'the presence history cannot be trusted now');
      for (const item of page.items) {
        const member = shown(channel.name, item);
        const isAsked =
          (clientId === undefined || member.clientId === clientId) &&
          (connectionId === undefined || member.connectionId === connectionId);
        if (isAsked) members.push(member);
      }
      cursor = page.next_cursor;
      if (cursor === null || members.length >= query.limit) break;
    }
    return { members, next: cursor };
  }
}

function shown(
  channel: string,
  { event, user_id: userId, connection_id: socketId, serial, ...item }: PresenceItemBody,
): WireMember {
  const { user_info: info } = item.presence_event;
  const userInfoText = info === null || info === undefined ? '{}' : JSON.stringify(info);
  const about = { action: ACTIONS[event], serial, timestamp: item.published_at_ms };
  return memberOf(channel, { userId, userInfoText, socketId: socketId ?? '' }, about);
}

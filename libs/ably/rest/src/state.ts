import { CompatError, inFormat, memberOf, orRefused, type WireMember } from '@carillon/ably-core';
import type { Broker } from '@carillon/broker';
import type { HistoryReader } from '@carillon/history-reader';
import type { Presence } from '@carillon/presence';
import type { Access, Entry } from './access.js';
import { type Ask, formatOfAnswer, type Reply } from './exchange.js';
import { historyQuery } from './history-query.js';
import { cursorOf, limitOf, linkTo, placeOf } from './paging.js';

const PRESENT = 1;
const MAX_LIMIT = 1000;
const MAX_CHANNELS = 100;
const KEPT = ['limit', 'clientId', 'connectionId', 'format'] as const;
const NEWEST = historyQuery({ limit: '1' }, 1);
const MAY_SEE = ['subscribe', 'presence'] as const;

/** Reads members and occupancy of channels. */
export class State {
  constructor(
    private readonly presence: Presence,
    private readonly broker: Broker,
    private readonly entry: Entry,
    /** Null: this process has no way to the histories of channels. */
    private readonly history: Pick<HistoryReader, 'page'> | null,
    private readonly now: () => number = Date.now,
  ) {}

  readonly members = async (ask: Ask): Promise<Reply> => {
    const access = await this.entry.channel(ask, MAY_SEE, true);
    await this.entry.count(access.principal, 'read');
    const { clientId, connectionId, cursor } = ask.query;
    const limit = limitOf(ask.query, MAX_LIMIT);
    const { principal, channel } = access;
    const about = ['members', principal.app.id, channel.name, clientId, connectionId];
    const after = placeOf(about, cursor) ?? '';
    const all = (await this.#members(access)).filter(
      (one) =>
        (clientId === undefined || one.clientId === clientId) &&
        (connectionId === undefined || one.connectionId === connectionId) &&
        placeIn(one) > after,
    );
    const page = all.slice(0, limit);
    const last = page.at(-1);
    const isAll = last === undefined || all.length === page.length;
    const links = {
      first: linkTo(ask, KEPT, null),
      ...(isAll ? {} : { next: linkTo(ask, KEPT, cursorOf(about, placeIn(last))) }),
    };
    const format = formatOfAnswer(ask);
    return { status: 200, body: page.map((one) => inFormat(one, format)), links };
  };

  readonly membersOfMany = async (ask: Ask): Promise<Reply> => {
    const principal = await this.entry.principal(ask);
    const names = (ask.query['channels'] ?? '').split(',').filter((name) => name !== '');
    if (names.length === 0 || names.length > MAX_CHANNELS)
      throw new CompatError(40_000, `one to ${MAX_CHANNELS} channels are needed`);
    await this.entry.count(principal, 'read');
    const format = formatOfAnswer(ask);
    const results = await Promise.all(
      names.map(async (channel) => {
        try {
          const members = await this.#members(this.entry.named(principal, channel, MAY_SEE));
          return { channel, presence: members.map((one) => inFormat(one, format)) };
        } catch (error) {
          return { channel, error: this.entry.told(error).body };
        }
      }),
    );
    const failureCount = results.filter((one) => 'error' in one).length;
    return { status: 200, body: { successCount: results.length - failureCount, failureCount, results } };
  };

  readonly status = async (ask: Ask): Promise<Reply> => {
    const access = await this.entry.channel(ask, ['channel-metadata', '']);
    const { principal, channel, name } = access;
    await this.entry.count(principal, 'read');
    const [{ answer }, members] = await Promise.all([
      this.broker.ask('channel_occupancy', principal.app.id, { channel: channel.name }),
      this.#members(access),
    ]);
    const metrics = { ...answer, presenceMembers: members.length };
    const isActive = answer.connections > 0 || (await this.#hasHistory(access));
    const status = { isActive, occupancy: { metrics } };
    return { status: 200, body: { channelId: name.base, status } };
  };

  /** Whether anything is kept that was published. */
  async #hasHistory({ principal, channel }: Access): Promise<boolean> {
    if (this.history === null || !channel.policy.history.enabled) return false;
    const page = await orRefused(this.history.page(principal.app.id, channel.name, NEWEST));
    return page.items.length > 0;
  }

  async #members({ principal, channel }: Access): Promise<readonly WireMember[]> {
    const place = { appId: principal.app.id, channel: channel.name };
    const { members, serial } = await this.presence.look(place).catch(() => {
      throw new CompatError(50_003, 'presence cannot be read, retry');
    });
    const about = { action: PRESENT, serial, timestamp: this.now() };
    return members
      .map((member) => memberOf(channel.name, member, about))
      .sort((one, other) => (placeIn(one) < placeIn(other) ? -1 : 1));
  }
}

/** Sort key of a member. */
const placeIn = ({ clientId, connectionId }: WireMember): string => `${clientId}\0${connectionId}`;

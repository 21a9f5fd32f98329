import { CompatError, inFormat, memberOf, orRefused, type WireMember } from '@carillon/compat-core';
import type { Fabric } from '@carillon/fabric';
import type { HistoryReader } from '@carillon/history';
import type { Presence } from '@carillon/presence';
import type { Access, Entry } from './access.js';
import { type Ask, formatOfAnswer, type Reply } from './exchange.js';
import { historyQuery } from './history-query.js';

const PRESENT = 1;
const MAX_LIMIT = 1000;
const DEFAULT_LIMIT = 100;
const MAX_CHANNELS = 100;
const NEWEST = historyQuery({ limit: '1' }, 1);
const MAY_SEE = ['subscribe', 'presence'] as const;

/** Tells who is on channels, and how many. */
export class State {
  constructor(
    private readonly presence: Presence,
    private readonly fabric: Fabric,
    private readonly entry: Entry,
    /** Null: this process has no way to the histories of channels. */
    private readonly history: Pick<HistoryReader, 'page'> | null,
    private readonly now: () => number = Date.now,
  ) {}

  readonly members = async (ask: Ask): Promise<Reply> => {
    const access = await this.entry.channel(ask, MAY_SEE, true);
    await this.entry.count(access.principal, 'read');
    const { limit = String(DEFAULT_LIMIT), clientId, connectionId, cursor } = ask.query;
    if (!/^[1-9]\d{0,3}$/.test(limit) || Number(limit) > MAX_LIMIT)
      throw new CompatError(40_003, 'limit must be 1 to 1000');
    const after = cursor === undefined ? null : readCursor(cursor);
    const all = (await this.#members(access)).filter(
      (one) =>
        (clientId === undefined || one.clientId === clientId) &&
        (connectionId === undefined || one.connectionId === connectionId) &&
        (after === null || placeOf(one) > after),
    );
    const page = all.slice(0, Number(limit));
    const last = page.at(-1);
    const filters = { clientId, connectionId, format: ask.query['format'] };
    const links = {
      first: link(limit, filters, null),
      ...(last === undefined || all.length === page.length
        ? {}
        : { next: link(limit, filters, placeOf(last)) }),
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
          if (error instanceof CompatError) return { channel, error: error.body };
          throw error;
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
      this.fabric.ask('channel_occupancy', principal.app.id, { channel: channel.name }),
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
      .sort((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));
  }
}

const placeOf = ({ clientId, connectionId }: WireMember): string => `${clientId}\0${connectionId}`;

function link(
  limit: string,
  filters: Readonly<Record<string, string | undefined>>,
  after: string | null,
): string {
  const kept = new URLSearchParams({ limit });
  for (const [name, value] of Object.entries(filters)) if (value !== undefined) kept.set(name, value);
  if (after !== null) kept.set('cursor', Buffer.from(`1${after}`).toString('base64url'));
  return `./presence?${kept.toString()}`;
}

function readCursor(text: string): string {
  const place = Buffer.from(text, 'base64url').toString();
  if (!place.startsWith('1') || !place.includes('\0')) throw new CompatError(40_000, 'cursor is not valid');
  return place.slice(1);
}

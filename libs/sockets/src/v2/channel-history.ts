import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Channels, userLimitRefusal } from '@carillon/channels';
import { ServiceError, type ErrorCode } from '@carillon/errors';
import type { HistoryBounds, HistoryPageBody, HistoryReader } from '@carillon/history-reader';
import { type Outlet, whenDrained } from '@carillon/realtime';
import { frameError, type ChannelHistoryFrame, type FrameError, type HistoryWish } from '@carillon/protocol';
import type { Connection } from '../connection/connection.js';
import type { Tags } from './tags.js';

export interface ChannelHistoriesParts {
  readonly channels: Channels;
  readonly outlet: Outlet;
  /** Null: this process has no way to histories. */
  readonly reader: Pick<HistoryReader, 'page'> | null;
  readonly maxPageSize: number;
  readonly tags: Pick<Tags, 'areShown'>;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** Requests of one connection at one time, each until its answer has left for the client. */
const MAX_AT_ONCE = 2;
const MAX_ON_PAGE = 1000;

/** Gives connections pages of the histories of their channels. */
export class ChannelHistories {
  readonly #underWay = new WeakMap<Connection, number>();

  constructor(private readonly parts: ChannelHistoriesParts) {}

  /** Undefined when it was refused; the promise never rejects. */
  handle(connection: Connection, { channel, wish }: ChannelHistoryFrame): Promise<void> | undefined {
    const refusal = this.#refusal(connection, channel, wish);
    if (refusal === null) return this.#read(connection, channel, wish);
    this.parts.outlet.error(connection, refusal);
    return undefined;
  }

  #refusal(connection: Connection, name: string, wish: HistoryWish): FrameError | null {
    const refused = (row: ErrorCode, message: string): FrameError =>
      frameError(row, { channel: name, message });
    const { app } = connection.hub;
    if (connection.subscriptions.get(name) === undefined)
      return refused('client_event_refused', 'Not subscribed to the channel');
    const channel = this.parts.channels.subscription(app, name, 2);
    if (!channel.accepted || channel.form !== 'ordinary')
      return refused('channel_refused', 'It has no history');
    const limited = userLimitRefusal(channel, connection.userId);
    if (limited !== null) return refused(limited.frame, limited.text);
    if (!connection.capabilities.allows('history', name))
      return refused('forbidden', 'The capabilities do not permit it');
    if (!channel.policy.history.enabled || this.parts.reader === null)
      return refused('channel_refused', 'History is not enabled for the channel');
    if ((this.#underWay.get(connection) ?? 0) >= MAX_AT_ONCE)
      return refused('rate_limited', 'Two requests for histories are under way already');
    const attachSerial = attachSerialOf(connection, name);
    if (wish.untilAttach && attachSerial === null)
      return refused('malformed_frame', 'It is not known where the subscription began');
    const { start_serial: start, end_serial: end, start_time_ms, end_time_ms } = boundsOf(wish, attachSerial);
    // A range can be empty because of the attach position, which is not a client error.
    const isWrong = isCrossed(start, wish.endSerial) || isCrossed(start_time_ms, end_time_ms);
    return isWrong || end === undefined ? refused('malformed_frame', 'A start is above its end') : null;
  }

  async #read(connection: Connection, channel: string, wish: HistoryWish): Promise<void> {
    const { reader, outlet, maxPageSize, onTrouble, tags } = this.parts;
    if (reader === null) return;
    this.#underWay.set(connection, (this.#underWay.get(connection) ?? 0) + 1);
    const attachSerial = attachSerialOf(connection, channel);
    const { direction, cursor } = wish;
    const limit = Math.min(wish.limit, MAX_ON_PAGE, maxPageSize);
    try {
      const bounds = boundsOf(wish, attachSerial);
      const page = await reader.page(connection.hub.appId, channel, { limit, direction, cursor, bounds });
      connection.subscriptions.get(channel)?.channel.seen(newestIn(page));
      outlet.send(connection, {
        kind: 'history_page',
        channel,
        pageText: pageText(
          tags.areShown(connection.hub, channel) ? page : withoutTags(page),
          wish,
          attachSerial,
        ),
      });
    } catch (error) {
      const isMistake = error instanceof ServiceError && error.code === 'invalid_input';
      if (!isMistake) onTrouble('history of a channel', error);
      const row = isMistake ? 'malformed_frame' : 'service_unavailable';
      const message = isMistake ? error.message : 'The history cannot be read now, retry';
      outlet.error(connection, frameError(row, { channel, message }));
    } finally {
      // A store in memory answers before the next frame is read: such a request runs at least until the loop has
      // turned.
      await nextTurn();
      await whenDrained(connection);
      this.#underWay.set(connection, (this.#underWay.get(connection) ?? 1) - 1);
    }
  }
}

/** The highest delivery serial of the versions that are shown; 0: none is. */
function newestIn({ items }: HistoryPageBody): number {
  let newest = 0;
  for (const { message } of items) {
    const { serial } = message as { readonly serial?: unknown };
    if (typeof serial === 'number') newest = Math.max(newest, serial);
  }
  return newest;
}

const attachSerialOf = ({ attachPoints }: Connection, channel: string): number | null =>
  attachPoints?.get(channel)?.attachSerial ?? null;

function boundsOf(
  { startSerial, endSerial, startTimeMs, endTimeMs, untilAttach }: HistoryWish,
  attachSerial: number | null,
): HistoryBounds {
  return {
    start_serial: startSerial,
    end_serial: untilAttach ? Math.min(endSerial ?? Infinity, attachSerial ?? 0) : endSerial,
    start_time_ms: startTimeMs,
    end_time_ms: endTimeMs,
  };
}

const withoutTags = (page: HistoryPageBody): HistoryPageBody => ({
  ...page,
  items: page.items.map((item) => ({ ...item, message: { ...(item.message as object), tags: undefined } })),
});

const pageText = (page: HistoryPageBody, { untilAttach }: HistoryWish, attachSerial: number | null): string =>
  JSON.stringify({
    ...page,
    bounds: { ...page.bounds, until_attach: untilAttach, attach_serial: attachSerial },
  });

const isCrossed = (from: number | null, to: number | null): boolean =>
  from !== null && to !== null && from > to;

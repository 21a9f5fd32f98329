import type { Call } from '../options.js';
import { defined, queryOf } from '../requests/names.js';
import { pathOf } from '../requests/transport.js';
import type {
  ChannelInfo,
  HistoryItem,
  HistoryOptions,
  Info,
  PresenceRecord,
  PublishOptions,
  PublishResult,
  Purge,
  Reason,
  StreamState,
} from '../types.js';
import { type Caller, callOf } from './caller.js';
import type { Events } from './events.js';
import { MessageHandle } from './message.js';
import { firstPage, type Page } from './page.js';

const msOf = (time: Date | number | undefined): number | undefined =>
  time instanceof Date ? time.getTime() : time;

/** One channel of the app. */
export class ChannelHandle {
  readonly #path: string;

  constructor(
    readonly name: string,
    private readonly caller: Caller,
    private readonly events: Events,
  ) {
    this.#path = pathOf('channels', name);
  }

  publish(event: string, data?: unknown, options: PublishOptions = {}): Promise<PublishResult> {
    return this.events.publish(this.name, event, data, options);
  }

  state({ info, ...call }: { readonly info?: readonly Info[] } & Call = {}): Promise<ChannelInfo> {
    return this.caller.read(this.#path, queryOf({ info: info?.join(',') }), call);
  }

  /** The users of a presence channel. */
  members(options: Call = {}): Promise<{ users: { id: string }[] }> {
    return this.caller.read(`${this.#path}/users`, {}, options);
  }

  history(options: HistoryOptions = {}): Promise<Page<HistoryItem>> {
    return this.#list('/history', options);
  }

  historyState(options: Call = {}): Promise<StreamState> {
    return this.caller.read(`${this.#path}/history/state`, {}, options);
  }

  /** Deletes the history and starts a new stream. */
  resetHistory(reason: Reason): Promise<Readonly<Record<string, unknown>>> {
    return this.#operate('/history', 'reset', reason, {});
  }

  /** Deletes the messages below a bound. */
  purgeHistory({ beforeSerial, beforeTime, ...reason }: Purge): Promise<Readonly<Record<string, unknown>>> {
    const mode =
      beforeSerial !== undefined ? 'before_serial' : beforeTime !== undefined ? 'before_time_ms' : 'all';
    const bounds = defined({ mode, before_serial: beforeSerial, before_time_ms: msOf(beforeTime) });
    return this.#operate('/history', 'purge', reason, bounds);
  }

  presenceHistory(options: HistoryOptions = {}): Promise<Page<PresenceRecord>> {
    return this.#list('/presence/history', options);
  }

  presenceHistoryState(options: Call = {}): Promise<StreamState> {
    return this.caller.read(`${this.#path}/presence/history/state`, {}, options);
  }

  resetPresenceHistory(reason: Reason): Promise<Readonly<Record<string, unknown>>> {
    return this.#operate('/presence/history', 'reset', reason, {});
  }

  /** The members at a moment, or after the event of a serial. */
  presenceSnapshot({
    atTime,
    atSerial,
    ...call
  }: { readonly atTime?: Date | number; readonly atSerial?: number } & Call = {}): Promise<
    Readonly<Record<string, unknown>>
  > {
    const query = queryOf({ at_time_ms: msOf(atTime), at_serial: atSerial });
    return this.caller.read(`${this.#path}/presence/history/snapshot`, query, call);
  }

  /** A message by its serial. */
  message(serial: string): MessageHandle {
    return new MessageHandle(this.caller, this.name, serial);
  }

  #list<Item>(route: string, options: HistoryOptions): Promise<Page<Item>> {
    const { limit, direction, startSerial, endSerial, startTime, endTime, ...call } = options;
    return firstPage((cursor) => {
      const query = queryOf({
        limit,
        direction,
        start_serial: startSerial,
        end_serial: endSerial,
        start_time_ms: msOf(startTime),
        end_time_ms: msOf(endTime),
        cursor,
      });
      return this.caller.read(`${this.#path}${route}`, query, call);
    });
  }

  #operate(
    route: string,
    operation: 'purge' | 'reset',
    { reason, requestedBy, ...call }: Reason,
    more: object,
  ): Promise<Readonly<Record<string, unknown>>> {
    const confirmed = { confirm_channel: this.name, confirm_operation: operation };
    return this.caller.call({
      ...callOf(call),
      method: 'POST',
      path: `${this.#path}${route}/${operation}`,
      body: defined({ ...confirmed, reason, requested_by: requestedBy, ...more }),
      idempotent: false,
    });
  }
}

import { CarillonError } from '../error.js';
import type { Clock } from '../connection/clock.js';
import type { Frame, ReceivedFrame } from '../format/frame.js';
import { fromWire, type WireFrame } from '../format/wire-frame.js';
import { type Action, type Message, messageOf } from './message.js';

/** The requested range of a channel's history. Bounds are inclusive. */
export interface HistoryOptions {
  /** Messages of a page. Default 100. */
  readonly limit?: number;
  /** Default `backwards`: the newest first. */
  readonly direction?: 'backwards' | 'forwards';
  readonly startSerial?: number;
  readonly endSerial?: number;
  readonly startTimeMs?: number;
  readonly endTimeMs?: number;
  /** Return only messages from before the subscription, so that history and live messages join without a gap. */
  readonly untilAttach?: boolean;
}

/** One message of a history. */
export interface HistoryItem {
  readonly serial: number;
  readonly publishedAtMs: number;
  readonly message: Message;
}

/** Part of a history. */
export interface HistoryPage {
  readonly items: readonly HistoryItem[];
  readonly hasMore: boolean;
  /** Whether the whole requested range is still stored. */
  readonly isComplete: boolean;
  /** Null: this was the last page. */
  next(): Promise<HistoryPage | null>;
}

/** The service's answer, as far as it is used. */
interface Reply {
  readonly items: readonly {
    readonly serial: number;
    readonly published_at_ms: number;
    readonly message: WireFrame & MutableMembers;
  }[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
  readonly continuity?: { readonly truncated_by_retention?: boolean };
}

/** Additional members of a stored message. */
interface MutableMembers {
  /** The data is bytes, of which it is a list. */
  readonly data_kind?: 'bytes';
  readonly action?: Action;
  readonly message_serial?: string;
  readonly history_serial?: number;
  readonly version?: { readonly serial: string; readonly timestamp_ms: number };
}

interface Pending {
  readonly channel: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: Error) => void;
}

/** The limit of pending requests. */
const MAX_PENDING = 100;
const LIMIT_MS = 30_000;

/** Serializes the history requests of one connection, because responses carry no request id. */
export class Histories {
  readonly #pending: Pending[] = [];
  #stopTimer: () => void = () => undefined;

  constructor(
    private readonly parts: {
      readonly clock: Clock;
      readonly vendor: string;
      readonly hasBytes: boolean;
      readonly send: (frame: Frame) => boolean;
    },
  ) {}

  /** Rejects where the service refuses, or the connection is lost. */
  async page(channel: string, options: HistoryOptions, cursor?: string): Promise<HistoryPage> {
    const { limit, direction, startSerial, endSerial, startTimeMs, endTimeMs, untilAttach } = options;
    const data = {
      channel,
      limit,
      direction,
      start_serial: startSerial,
      end_serial: endSerial,
      start_time_ms: startTimeMs,
      end_time_ms: endTimeMs,
      until_attach: untilAttach,
      cursor,
    };
    const reply = await this.#ask(channel, data);
    const next = reply.next_cursor;
    return {
      items: reply.items.map((item) => ({
        serial: item.serial,
        publishedAtMs: item.published_at_ms,
        message: storedMessage({ channel, ...item.message }, this.parts),
      })),
      hasMore: reply.has_more,
      isComplete: reply.continuity?.truncated_by_retention !== true,
      next: async () => (next === null ? null : this.page(channel, options, next)),
    };
  }

  answered(frame: ReceivedFrame): void {
    const [pending] = this.#pending;
    if (pending?.channel === frame.channel) this.#settle(() => pending?.resolve(frame.data as Reply));
  }

  /** False: the error is about something else. */
  refused(error: CarillonError): boolean {
    const [pending] = this.#pending;
    if (pending === undefined || pending.channel !== error.channel) return false;
    this.#settle(() => pending.reject(error));
    return true;
  }

  disconnected(): void {
    this.#stopTimer();
    for (const { reject, channel } of this.#pending.splice(0)) {
      reject(new CarillonError('The connection was lost', { channel }));
    }
  }

  #ask(channel: string, data: Readonly<Record<string, unknown>>): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (this.#pending.length >= MAX_PENDING) {
        throw new CarillonError(`${MAX_PENDING} requests for history are waiting already`, { channel });
      }
      this.#pending.push({ channel, data, resolve, reject });
      if (this.#pending.length === 1) this.#send();
    });
  }

  #settle(how: () => void): void {
    this.#stopTimer();
    this.#pending.shift();
    how();
    this.#send();
  }

  #send(): void {
    const [pending] = this.#pending;
    if (pending === undefined) return;
    const { channel, data, reject } = pending;
    const fail = (message: string): void =>
      this.#settle(() => reject(new CarillonError(message, { channel })));
    this.#stopTimer = this.parts.clock.after(LIMIT_MS, () => fail('The service did not answer in time'));
    if (!this.parts.send({ event: 'service:channel_history', data })) fail('There is no connection');
  }
}

/**
 * Converts a message of the history or the HTTP API, where change data is in members instead of headers. `fragments`:
 * an append carries only the appended data. `hasBytes`: binary data is delivered as bytes, as in live messages.
 */
export function storedMessage(
  { data, ...rest }: WireFrame & MutableMembers,
  { vendor, hasBytes }: { readonly vendor: string; readonly hasBytes: boolean },
  fragments = false,
): Message {
  const item = {
    ...rest,
    data: hasBytes && rest.data_kind === 'bytes' ? Uint8Array.from(data as number[]) : data,
  };
  const message = messageOf(fromWire(item), vendor, !fragments);
  const { action, message_serial: serial, history_serial: historySerial, version } = item;
  if (action === undefined || serial === undefined || version === undefined) return message;
  const change = {
    action,
    serial,
    version: version.serial,
    historySerial: historySerial ?? null,
    timestampMs: version.timestamp_ms,
    isWhole: action !== 'append' || !fragments,
    fromSerial: null,
  };
  return { ...message, change };
}

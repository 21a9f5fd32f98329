import type { Message } from '@carillon/client';
import type { Terminal } from '../output/terminal.js';

/** A line of `subscribe` that is not an event. */
export type Notice =
  | { readonly type: 'connected'; readonly socket_id: string }
  | { readonly type: 'subscribed'; readonly channel: string }
  | { readonly type: 'member_added' | 'member_removed'; readonly channel: string; readonly user_id: string }
  | { readonly type: 'recovered'; readonly channel: string; readonly replayed: number }
  | { readonly type: 'gap'; readonly channel: string; readonly code: string }
  | {
      readonly type: 'disconnected';
      readonly code: number;
      readonly reason: string;
      readonly retry_in_ms: number;
    }
  | { readonly type: 'closed'; readonly events: number; readonly code: number };

/** Prints the lines of `subscribe`: JSON, text, or with `raw` only frames. */
export class EventPrinter {
  constructor(
    private readonly terminal: Terminal,
    private readonly isRaw: boolean,
  ) {}

  frame(text: string): void {
    if (!this.isRaw) return;
    if (this.terminal.json) this.terminal.text(`${text}\n`);
    else this.terminal.line(text);
  }

  event(message: Message, isHistory: boolean): void {
    if (this.isRaw) return;
    const data = typeof message.raw === 'string' ? message.raw : JSON.stringify(message.raw);
    const nowMs = Date.now();
    if (this.terminal.json)
      this.terminal.document({ ...eventLine(message, data, nowMs), ...(isHistory ? { history: true } : {}) });
    else {
      const time = new Date(nowMs).toISOString().slice(11, 23);
      this.terminal.line(
        `${time}  ${message.channel}  ${message.event}  ${data}`,
        isHistory ? 'dim' : undefined,
      );
    }
  }

  notice(notice: Notice): void {
    if (this.isRaw) return;
    const { type, ...more } = notice;
    if (this.terminal.json) this.terminal.document(notice);
    else {
      const text = Object.entries(more).map(([name, value]) => `${name}=${value}`);
      this.terminal.note(`${type} ${text.join(' ')}`);
    }
  }
}

function eventLine(message: Message, data: string, nowMs: number): object {
  const { channel, event, id, streamId, serial, tags, extras, userId } = message;
  return {
    type: 'event',
    time_ms: nowMs,
    channel,
    event,
    data,
    ...(id === undefined ? {} : { message_id: id }),
    ...(streamId === undefined ? {} : { stream_id: streamId }),
    ...(serial === undefined ? {} : { serial }),
    ...(Object.keys(tags).length === 0 ? {} : { tags }),
    ...(Object.keys(extras).length === 0 ? {} : { extras }),
    ...(userId === undefined ? {} : { user_id: userId }),
  };
}

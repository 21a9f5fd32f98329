import { keepDay } from '../model/calendar.js';
import type { Stream, StreamKind } from '../model/stream.js';

export type Names = (name: string) => string;

/** Condition of history rows of one stream, given by `$1` and `$2`. */
export const HISTORY = 'c.stream_key = $1 and c.generation = $2 and c.history_serial is not null';

/** Rows of one kind of stream, as they are shown. */
export interface Shown {
  readonly table: 'records' | 'presence_events';
  readonly serial: string;
  readonly at: string;
  /** Until when a row is visible. */
  readonly until: string;
  readonly size: string;
  /** Column with JSON content. */
  readonly content: string;
  /** Condition of the rows of the stream given by `$1` and `$2`. */
  readonly own: string;
}

export const SHOWN: Readonly<Record<StreamKind, Shown>> = {
  messages: {
    table: 'records',
    serial: 'history_serial',
    at: 'published_at_ms',
    until: 'history_until_ms',
    size: 'payload_size',
    content: 'payload',
    own: HISTORY,
  },
  presence: {
    table: 'presence_events',
    serial: 'serial',
    at: 'at_ms',
    until: 'keep_until_ms',
    size: 'body_size',
    content: 'body',
    own: 'c.stream_key = $1 and c.generation = $2',
  },
};

/** The days that anything visible is kept for: no other part of a table is looked at. */
export function keptDays({ lastKeepDay }: Stream, nowMs: number): readonly [from: string, to: string] {
  const today = keepDay(nowMs);
  return [today, lastKeepDay ?? today];
}

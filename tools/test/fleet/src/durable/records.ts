import type { Publication } from '../model/records.js';

/** One try to have an event accepted. */
export interface Attempt {
  readonly api: string;
  readonly tookMs: number;
  /** Null: the connection ended, or nothing came. */
  readonly status: number | null;
  /** The word for what is wrong; null: nothing is, or nothing was said. */
  readonly code: string | null;
  /** Whether it was said when to try again. */
  readonly saysWhen: boolean;
}

/** An event of a durable channel and what became of it. */
export interface DurablePublication extends Publication {
  /** Null: it has no key, and is tried once. */
  readonly messageId: string | null;
  readonly attempts: Attempt[];
  /** What the answer said; null: nothing. */
  historySerial: number | null;
}

/** One row of a history. */
export interface Row {
  readonly serial: number;
  readonly publisher: string;
  readonly number: number;
  readonly messageId: string | null;
}

/** The whole history of a channel, as the HTTP API tells it. */
export interface ChannelHistory {
  readonly channel: string;
  readonly streamIds: readonly string[];
  /** Oldest first. */
  readonly rows: readonly Row[];
  /** Serials as a walk from the newest finds them. */
  readonly backwards: readonly number[];
  /** The serial that comes next. */
  readonly nextSerial: number | null;
  readonly state: string;
}

/** What is called the same in every record. */
export const nameOf = ({
  publisher,
  number,
}: {
  readonly publisher: string;
  readonly number: number;
}): string => `${publisher} ${number}`;

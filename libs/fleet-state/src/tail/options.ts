import { integer, object, oneOf, optional, text, type Infer } from '@carillon/contracts';

const USER_TEXT_BYTES = 64 * 1024;
const MAX_SAMPLE = 10_000;
const MAX_EVENTS = 1000;
const MAX_DATA_BYTES = 65_536;

/** What a tail selects. At most one member; none: the whole app. */
const TAIL_TARGET = object({
  channel: optional(text(1, USER_TEXT_BYTES)),
  user_id: optional(text(1, USER_TEXT_BYTES)),
  socket_id: optional(text(1, 128)),
});

/** Start or renewal of a tail, as the observer sends it to all gateways. */
export const TAIL_START = object({
  tail_id: text(1, 64),
  app_id: text(1, 64),
  target: TAIL_TARGET,
  /** One of so many messages, chosen by the hash of the message id. */
  sample: integer(1, MAX_SAMPLE),
  max_events_per_second: integer(1, MAX_EVENTS),
  payload: oneOf('full', 'none'),
  max_data_bytes: integer(0, MAX_DATA_BYTES),
  /** Node id of the observer, which receives the traces. */
  reply_to: text(1, 160),
});

export const TAIL_STOP = object({ tail_id: text(1, 64) });

export type TailTarget = Infer<typeof TAIL_TARGET>;
export type TailStart = Infer<typeof TAIL_START>;

/** Interval of renewals. */
export const RENEW_MS = 5000;
/** A node forgets a tail this long after the last renewal. */
export const FORGET_MS = 15_000;
/** Bytes of traces a second, on each node and for the reader. */
export const MAX_BYTES_PER_SECOND = 256 * 1024;

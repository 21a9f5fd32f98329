import { anything, count, flag, listOf, object, oneOf, orNull, text } from '../describe/shape.js';

/** Ends of the readable range. */
export const ENDS = {
  stream_id: orNull(text('Null: the channel was never written to.')),
  oldest_available_serial: orNull(count('Null: nothing is retained.')),
  newest_available_serial: orNull(count('Null: nothing is retained.')),
  oldest_available_published_at_ms: orNull(count('Unix time.')),
  newest_available_published_at_ms: orNull(count('Unix time.')),
};

const RETAINED = {
  ...ENDS,
  retained_messages: count('Messages that can be read.'),
  retained_bytes: count('What they take.'),
};

const AUTHORITATIVE = ['durable_store', 'in_memory', 'disabled'] as const;
const SOURCES = {
  authoritative: AUTHORITATIVE,
  observed: [...AUTHORITATIVE, 'local_memory_hint', 'shared_cache_hint'],
} as const;

/** Members common to all stream states. */
export const STATE = {
  stream_id: orNull(text('Null: nothing was ever kept.')),
  durable_state: oneOf(['healthy', 'degraded', 'reset_required'], 'Whether it can be trusted.'),
  reset_required: flag('Nothing but a reset helps.'),
  reason: orNull(text('A word for what is wrong.')),
  node_id: orNull(text('The process that noticed.')),
  last_transition_at_ms: orNull(count('Unix time.')),
  authoritative_source: oneOf(SOURCES.authoritative, 'Where the truth is.'),
  observed_source: oneOf(SOURCES.observed, 'Where this was learned.'),
};

const STREAM_STATE = object({ ...STATE, recovery_allowed: flag('It is healthy, and can be read.') });

export const STREAM = object({
  stream_id: orNull(text('Null: the channel was never written to.')),
  next_serial: orNull(count('What the next message gets.')),
  retained: object(RETAINED),
  state: STREAM_STATE,
});

const BOUND = orNull(count('Inclusive; null: none.'));
export const BOUNDS = object({
  start_serial: BOUND,
  end_serial: BOUND,
  start_time_ms: BOUND,
  end_time_ms: BOUND,
});

export const PAGE = object({
  items: listOf(
    object({
      stream_id: text('The stream that the serial belongs to.'),
      serial: count('Place in the history.'),
      published_at_ms: count('Unix time of the commit; never falls within a stream.'),
      message_id: orNull(text('As subscribers got it.')),
      event_name: orNull(text('Name of the event.')),
      operation_kind: text('`append`.'),
      payload_size_bytes: count('What is stored of it.'),
      message: anything('The frame of protocol 2.'),
    }),
    'In the order asked for.',
  ),
  direction: oneOf(['newest_first', 'oldest_first'], 'As asked.'),
  limit: count('As asked, and at most `history.max_page_size`.'),
  has_more: flag('At least one more follows.'),
  next_cursor: orNull(text('What to ask the next page with.')),
  bounds: BOUNDS,
  continuity: object({
    ...RETAINED,
    complete: flag('This is the end, and nothing of what was asked for has expired.'),
    truncated_by_retention: flag('Something of what was asked for has expired.'),
  }),
  stream_state: STREAM_STATE,
});

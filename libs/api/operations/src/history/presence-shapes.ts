import { anything, count, flag, listOf, object, oneOf, orNull, text } from '../describe/shape.js';
import { BOUNDS, ENDS, STATE } from './shapes.js';

const EVENTS = ['member_added', 'member_updated', 'member_removed'] as const;
const CAUSES = ['join', 'disconnect', 'timeout', 'forced_disconnect', 'orphan_cleanup'] as const;

const RETAINED = {
  ...ENDS,
  retained_events: count('Events that can be read.'),
  retained_bytes: count('What they take.'),
};

const CONTINUITY = {
  ...RETAINED,
  complete: flag('This is the end, and nothing of what was asked for has expired or is in doubt.'),
  truncated_by_retention: flag('Something of what was asked for has expired.'),
};

const PRESENCE_STATE = object({ ...STATE, continuity_proven: flag('It is healthy.') });

export const PRESENCE_STREAM = object({
  stream_id: orNull(text('Null: nobody was ever there.')),
  next_serial: orNull(count('What the next event gets.')),
  retained: object(RETAINED),
  state: PRESENCE_STATE,
});

const EVENT = {
  stream_id: text('The stream that the serial belongs to.'),
  serial: count('Place in the history.'),
  published_at_ms: count('Unix time of the commit.'),
  event: oneOf(EVENTS, 'What happened.'),
  cause: oneOf(CAUSES, 'Why.'),
  user_id: text('To whom.'),
  connection_id: orNull(text('The connection it came with.')),
  dead_node_id: orNull(text('The process that died.')),
};

export const PRESENCE_PAGE = object({
  items: listOf(
    object({
      ...EVENT,
      payload_size_bytes: count('What is stored of it.'),
      presence_event: object({ ...EVENT, user_info: anything('What the member said of itself, or null.') }),
    }),
    'In the order asked for.',
  ),
  direction: oneOf(['newest_first', 'oldest_first'], 'As asked.'),
  limit: count('As asked, and at most `presence_history.max_page_size`.'),
  has_more: flag('At least one more follows.'),
  next_cursor: orNull(text('What to ask the next page with.')),
  bounds: BOUNDS,
  continuity: object({ ...CONTINUITY, degraded: flag('The history is not healthy.') }),
  stream_state: PRESENCE_STATE,
});

export const SNAPSHOT = object({
  channel: text('As asked.'),
  members: listOf(
    object({
      user_id: text('Who.'),
      last_event: oneOf(EVENTS, 'What happened last.'),
      last_event_serial: count('Its place in the history.'),
      last_event_at_ms: count('Unix time.'),
    }),
    'By user id.',
  ),
  member_count: count('How many they are.'),
  events_replayed: count('Events that led there.'),
  snapshot_serial: orNull(count('The last of them; null: there is none.')),
  snapshot_time_ms: orNull(count('Its time.')),
  continuity: object(CONTINUITY),
});

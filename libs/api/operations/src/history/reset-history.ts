import { uuidV7 } from '@carillon/history-publish';
import { describe } from '../describe/description.js';
import { fieldsSchema } from '../describe/fields-schema.js';
import { always, count, object, orNull, text } from '../describe/shape.js';
import type { JsonObject } from '../json/json-body.js';
import type { Caller } from '../caller.js';
import type { Work } from '../operation.js';
import { confirmation, readConfirmation } from './confirmation.js';
import {
  type DurableChannel,
  durableChannel,
  type HistoryParts,
  presenceChannel,
} from './durable-channel.js';
import { numberOf, operate, textOf } from './operate.js';
import { PRESENCE_STREAM } from './presence-shapes.js';
import { STREAM } from './shapes.js';

const COMMON = {
  ok: always(true, 'It is done.'),
  operation: always('reset', 'As asked.'),
  channel: text('As asked.'),
  reason: text('As given.'),
  requested_by: orNull(text('As given.')),
  previous_stream_id: orNull(text('Null: there was nothing to reset.')),
  new_stream_id: orNull(text('What positions belong to from now on.')),
  purged_bytes: count('What was retained took.'),
};

const REPLY = object({
  ...COMMON,
  purged_messages: count('Messages that can no longer be read.'),
  stream: STREAM,
});

const PRESENCE_REPLY = object({
  ...COMMON,
  purged_events: count('Events that can no longer be read.'),
  stream: PRESENCE_STREAM,
});

const CONFIRMED = confirmation('reset');

const described = (what: string, more: string) =>
  ({
    area: 'history',
    summary: `Begin the ${what} of a channel anew`,
    description: `Everything retained is gone at once, serials begin at 1 in a new stream, and the history is healthy. ${more}`,
    rate: null,
    subjects: ['channel'],
    body: fieldsSchema(CONFIRMED.fields, CONFIRMED.required),
    errors: ['feature_disabled', 'backpressure'],
  }) as const;

export const RESET_HISTORY = describe({
  ...described('history', 'In order with what is published meanwhile.'),
  result: REPLY,
});

export const RESET_PRESENCE_HISTORY = describe({
  ...described('presence history', 'Who is there stays there.'),
  result: PRESENCE_REPLY,
});

export const resetHistory =
  (parts: HistoryParts): Work<typeof RESET_HISTORY> =>
  async (caller, { channel: name, body }) => {
    const found = durableChannel(caller, 'admin', name, parts);
    const { purged, ...common } = await reset(caller, found, 'messages', body.object);
    await parts.lastEvents.forget(caller.app.id, found.channel);
    const stream = await found.reader.state(caller.app.id, found.channel.name);
    return { value: { ...common, purged_messages: purged, stream } };
  };

export const resetPresenceHistory =
  (parts: HistoryParts): Work<typeof RESET_PRESENCE_HISTORY> =>
  async (caller, { channel: name, body }) => {
    const found = presenceChannel(caller, 'admin', name, parts);
    const { purged, ...common } = await reset(caller, found, 'presence', body.object);
    const stream = await found.presence.state(caller.app.id, found.channel.name);
    return { value: { ...common, purged_events: purged, stream } };
  };

async function reset(
  caller: Caller,
  { channel, commits }: DurableChannel,
  stream: 'messages' | 'presence',
  given: JsonObject,
) {
  const { reason, requestedBy } = readConfirmation(caller, given, channel.name, 'reset');
  const outcome = await operate(commits, {
    op: 'reset',
    pub_id: uuidV7(),
    app_id: caller.app.id,
    channel: channel.name,
    stream,
    reason,
    ...(requestedBy === null ? {} : { requested_by: requestedBy }),
  });
  return {
    ok: true,
    operation: 'reset',
    channel: channel.name,
    reason,
    requested_by: requestedBy,
    previous_stream_id: textOf(outcome, 'previous_stream_id'),
    new_stream_id: textOf(outcome, 'new_stream_id'),
    purged_bytes: numberOf(outcome, 'purged_bytes'),
    purged: numberOf(outcome, 'purged_messages'),
  } as const;
}

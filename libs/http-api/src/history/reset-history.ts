import { uuidV7 } from '@carillon/publishing';
import { fieldsSchema } from '../describe/fields-schema.js';
import type { Route } from '../describe/route.js';
import { always, count, object, orNull, text, type ValueOf } from '../describe/shape.js';
import type { Call, Endpoint, Reply } from '../pipeline/call.js';
import { CONFIRMATION, readConfirmation, REQUIRED_CONFIRMATION } from './confirmation.js';
import { durableChannel, type HistoryParts } from './durable-channel.js';
import { numberOf, operate, textOf } from './operate.js';
import { STREAM } from './shapes.js';

const REPLY = object({
  ok: always(true, 'It is done.'),
  operation: always('reset', 'As asked.'),
  channel: text('As asked.'),
  reason: text('As given.'),
  requested_by: orNull(text('As given.')),
  previous_stream_id: orNull(text('Null: the channel was never written to.')),
  new_stream_id: orNull(text('What positions belong to from now on.')),
  purged_messages: count('Messages that can no longer be read.'),
  purged_bytes: count('What they took.'),
  stream: STREAM,
});

export const RESET_HISTORY: Route = {
  method: 'POST',
  path: '/channels/:channelName/history/reset',
  tag: 'history',
  summary: 'Begin the history of a channel anew',
  description:
    'Everything retained is gone at once, serials begin at 1 in a new stream, and the history is healthy. In order with what is published meanwhile.',
  rate: null,
  body: fieldsSchema(CONFIRMATION, REQUIRED_CONFIRMATION),
  reply: REPLY,
  errors: ['feature_disabled', 'backpressure'],
};

/** `POST /apps/{appId}/channels/{channelName}/history/reset`. */
export class ResetHistoryEndpoint implements Endpoint {
  constructor(private readonly parts: HistoryParts) {}

  async answer(call: Call): Promise<Reply> {
    const { app, body } = call;
    const { channel, reader, commits } = durableChannel(call, this.parts);
    const { reason, requestedBy } = readConfirmation(body.object, channel.name, 'reset');
    const outcome = await operate(commits, {
      op: 'reset',
      pub_id: uuidV7(),
      app_id: app.id,
      channel: channel.name,
      stream: 'messages',
      reason,
      ...(requestedBy === null ? {} : { requested_by: requestedBy }),
    });
    const reply: ValueOf<typeof REPLY> = {
      ok: true,
      operation: 'reset',
      channel: channel.name,
      reason,
      requested_by: requestedBy,
      previous_stream_id: textOf(outcome, 'previous_stream_id'),
      new_stream_id: textOf(outcome, 'new_stream_id'),
      purged_messages: numberOf(outcome, 'purged_messages'),
      purged_bytes: numberOf(outcome, 'purged_bytes'),
      stream: await reader.state(app.id, channel.name),
    };
    return { text: JSON.stringify(reply) };
  }
}

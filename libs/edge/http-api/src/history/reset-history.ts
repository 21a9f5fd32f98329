import { uuidV7 } from '@carillon/publishing';
import { fieldsSchema } from '../describe/fields-schema.js';
import type { Route } from '../describe/route.js';
import { always, count, object, orNull, text, type ValueOf } from '../describe/shape.js';
import type { JsonObject } from '../json/json-body.js';
import type { Call, Endpoint, Reply } from '../pipeline/call.js';
import { CONFIRMATION, type Confirmed, readConfirmation, REQUIRED_CONFIRMATION } from './confirmation.js';
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

const described = (part: string, what: string, more: string): Omit<Route, 'reply'> => ({
  method: 'POST',
  path: `/channels/:channelName/${part}/reset`,
  tag: 'history',
  summary: `Begin the ${what} of a channel anew`,
  description: `Everything retained is gone at once, serials begin at 1 in a new stream, and the history is healthy. ${more}`,
  rate: null,
  body: fieldsSchema(CONFIRMATION, REQUIRED_CONFIRMATION),
  errors: ['feature_disabled', 'backpressure'],
});

export const RESET_HISTORY: Route = {
  ...described('history', 'history', 'In order with what is published meanwhile.'),
  reply: REPLY,
};

export const RESET_PRESENCE_HISTORY: Route = {
  ...described('presence/history', 'presence history', 'Who is there stays there.'),
  reply: PRESENCE_REPLY,
};

type Stream = 'messages' | 'presence';

/** `POST /apps/{appId}/channels/{channelName}/history/reset` and `…/presence/history/reset`. */
export class ResetHistoryEndpoint implements Endpoint {
  constructor(
    private readonly parts: HistoryParts,
    private readonly stream: Stream,
  ) {}

  async answer(call: Call): Promise<Reply> {
    const found =
      this.stream === 'messages' ? durableChannel(call, this.parts) : presenceChannel(call, this.parts);
    const confirmed = readConfirmation(call.body.object, found.channel.name, 'reset');
    const outcome = await this.#reset(call.app.id, found, confirmed);
    const common = commonOf(found.channel.name, confirmed, outcome);
    const purged = numberOf(outcome, 'purged_messages');
    if (this.stream === 'messages') {
      const stream = await found.reader.state(call.app.id, found.channel.name);
      const reply: ValueOf<typeof REPLY> = { ...common, purged_messages: purged, stream };
      return { text: JSON.stringify(reply) };
    }
    const stream = await found.presence.state(call.app.id, found.channel.name);
    const reply: ValueOf<typeof PRESENCE_REPLY> = { ...common, purged_events: purged, stream };
    return { text: JSON.stringify(reply) };
  }

  #reset(
    appId: string,
    { channel, commits }: DurableChannel,
    { reason, requestedBy }: Confirmed,
  ): Promise<JsonObject> {
    return operate(commits, {
      op: 'reset',
      pub_id: uuidV7(),
      app_id: appId,
      channel: channel.name,
      stream: this.stream,
      reason,
      ...(requestedBy === null ? {} : { requested_by: requestedBy }),
    });
  }
}

const commonOf = (channel: string, { reason, requestedBy }: Confirmed, outcome: JsonObject) =>
  ({
    ok: true,
    operation: 'reset',
    channel,
    reason,
    requested_by: requestedBy,
    previous_stream_id: textOf(outcome, 'previous_stream_id'),
    new_stream_id: textOf(outcome, 'new_stream_id'),
    purged_bytes: numberOf(outcome, 'purged_bytes'),
  }) as const;

import { ServiceError } from '@carillon/errors';
import { uuidV7 } from '@carillon/publishing';
import { Field, integerField, wrong } from '../describe/field.js';
import { fieldsSchema } from '../describe/fields-schema.js';
import type { Route } from '../describe/route.js';
import { always, count, object, oneOf, orNull, text, type ValueOf } from '../describe/shape.js';
import type { JsonObject } from '../json/json-body.js';
import type { Call, Endpoint, Reply } from '../pipeline/call.js';
import { CONFIRMATION, readConfirmation, REQUIRED_CONFIRMATION } from './confirmation.js';
import { durableChannel, type HistoryParts } from './durable-channel.js';
import { numberOf, operate } from './operate.js';
import { STREAM } from './shapes.js';

const MODES = ['all', 'before_serial', 'before_time_ms'] as const;
type Mode = (typeof MODES)[number];

const PURGE = {
  ...CONFIRMATION,
  mode: new Field<Mode>(
    'mode',
    { type: 'string', enum: MODES, description: 'What is removed; a bound is given for its own mode only.' },
    (value, name) => {
      const mode = MODES.find((one) => one === value);
      if (mode === undefined) throw wrong(name, `be one of ${MODES.join(', ')}`);
      return mode;
    },
  ),
  beforeSerial: integerField('before_serial', 'Messages with lower serials are removed.', 1),
  beforeTimeMs: integerField('before_time_ms', 'Messages published earlier are removed. Unix time.', 0),
};

const REPLY = object({
  ok: always(true, 'It is done.'),
  operation: always('purge', 'As asked.'),
  channel: text('As asked.'),
  mode: oneOf(MODES, 'As asked.'),
  before_serial: orNull(count('As given.')),
  before_time_ms: orNull(count('As given.')),
  reason: text('As given.'),
  requested_by: orNull(text('As given.')),
  purged_messages: count('Messages that can no longer be read.'),
  purged_bytes: count('What they took.'),
  stream: STREAM,
});

export const PURGE_HISTORY: Route = {
  method: 'POST',
  path: '/channels/:channelName/history/purge',
  tag: 'history',
  summary: 'Remove old messages from the history of a channel',
  description: 'They cannot be read any more from the answer on. The stream and its next serial stay.',
  rate: null,
  body: fieldsSchema(PURGE, [...REQUIRED_CONFIRMATION, PURGE.mode]),
  reply: REPLY,
  errors: ['feature_disabled', 'backpressure'],
};

/** What is to be removed. */
interface Extent {
  readonly mode: Mode;
  readonly beforeSerial: number | undefined;
  readonly beforeTimeMs: number | undefined;
}

/** `POST /apps/{appId}/channels/{channelName}/history/purge`. */
export class PurgeHistoryEndpoint implements Endpoint {
  constructor(private readonly parts: HistoryParts) {}

  async answer(call: Call): Promise<Reply> {
    const { app, body } = call;
    const { channel, reader, commits } = durableChannel(call, this.parts);
    const { reason, requestedBy } = readConfirmation(body.object, channel.name, 'purge');
    const { mode, beforeSerial, beforeTimeMs } = readExtent(body.object);
    const outcome = await operate(commits, {
      op: 'purge',
      pub_id: uuidV7(),
      app_id: app.id,
      channel: channel.name,
      mode,
      ...(beforeSerial === undefined ? {} : { before_serial: beforeSerial }),
      ...(beforeTimeMs === undefined ? {} : { before_time_ms: beforeTimeMs }),
      reason,
      ...(requestedBy === null ? {} : { requested_by: requestedBy }),
    });
    const reply: ValueOf<typeof REPLY> = {
      ok: true,
      operation: 'purge',
      channel: channel.name,
      mode,
      before_serial: beforeSerial ?? null,
      before_time_ms: beforeTimeMs ?? null,
      reason,
      requested_by: requestedBy,
      purged_messages: numberOf(outcome, 'purged_messages'),
      purged_bytes: numberOf(outcome, 'purged_bytes'),
      stream: await reader.state(app.id, channel.name),
    };
    return { text: JSON.stringify(reply) };
  }
}

function readExtent(body: JsonObject): Extent {
  const mode = PURGE.mode.of(body);
  if (mode === undefined) throw new ServiceError('invalid_input', { text: 'mode is missing' });
  const beforeSerial = PURGE.beforeSerial.of(body);
  const beforeTimeMs = PURGE.beforeTimeMs.of(body);
  const isWhole =
    (beforeSerial !== undefined) === (mode === 'before_serial') &&
    (beforeTimeMs !== undefined) === (mode === 'before_time_ms');
  if (isWhole) return { mode, beforeSerial, beforeTimeMs };
  throw new ServiceError('invalid_input', { text: `mode ${mode} and the bounds given do not fit` });
}

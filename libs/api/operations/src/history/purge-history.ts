import { ServiceError } from '@carillon/errors';
import { uuidV7 } from '@carillon/history-publish';
import { describe } from '../describe/description.js';
import { Field, integerField, wrong } from '../describe/field.js';
import { fieldsSchema } from '../describe/fields-schema.js';
import { always, count, object, oneOf, orNull, text } from '../describe/shape.js';
import type { JsonObject } from '../json/json-body.js';
import type { Work } from '../operation.js';
import { confirmation, readConfirmation } from './confirmation.js';
import { durableChannel, type HistoryParts } from './durable-channel.js';
import { numberOf, operate } from './operate.js';
import { STREAM } from './shapes.js';

const MODES = ['all', 'before_serial', 'before_time_ms'] as const;
type Mode = (typeof MODES)[number];

const CONFIRMED = confirmation('purge');
const PURGE = {
  ...CONFIRMED.fields,
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

export const PURGE_HISTORY = describe({
  area: 'history',
  summary: 'Remove old messages from the history of a channel',
  description: 'They cannot be read any more from the answer on. The stream and its next serial stay.',
  rate: null,
  subjects: ['channel'],
  body: fieldsSchema(PURGE, [...CONFIRMED.required, PURGE.mode]),
  result: REPLY,
  errors: ['feature_disabled', 'backpressure'],
});

/** Rows to remove. */
interface Extent {
  readonly mode: Mode;
  readonly beforeSerial: number | undefined;
  readonly beforeTimeMs: number | undefined;
}

export const purgeHistory =
  (parts: HistoryParts): Work<typeof PURGE_HISTORY> =>
  async (caller, { channel: name, body: { object: given } }) => {
    const { id } = caller.app;
    const { channel, reader, commits } = durableChannel(caller, 'admin', name, parts);
    const { reason, requestedBy } = readConfirmation(caller, given, channel.name, 'purge');
    const { mode, beforeSerial, beforeTimeMs } = readExtent(given);
    const outcome = await operate(commits, {
      op: 'purge',
      pub_id: uuidV7(),
      app_id: id,
      channel: channel.name,
      mode,
      ...(beforeSerial === undefined ? {} : { before_serial: beforeSerial }),
      ...(beforeTimeMs === undefined ? {} : { before_time_ms: beforeTimeMs }),
      reason,
      ...(requestedBy === null ? {} : { requested_by: requestedBy }),
    });
    const stream = await reader.state(id, channel.name);
    await parts.lastEvents.forgetPurged(id, channel, stream, reader);
    return {
      value: {
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
        stream,
      },
    };
  };

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

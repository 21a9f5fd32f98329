import { headersProblem, isSocketId } from '@carillon/protocol';
import { ServiceError } from '@carillon/errors';
import { isJsonObject, type JsonObject } from '../json/json-body.js';
import { anyField, Field, flagField, listField, objectField, textField, wrong } from '../describe/field.js';
import { fieldsSchema } from '../describe/fields-schema.js';
import { infoDescription } from '../describe/info.js';

/** Members of `extras` that mean something here; others are relayed unchanged to protocol 2 subscribers. */
export const EXTRAS = {
  headers: new Field(
    'headers',
    {
      type: 'object',
      additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
      description: 'Metadata for filtering: strings, numbers and booleans.',
    },
    readHeaders,
  ),
  ephemeral: flagField('ephemeral', 'For sockets connected now only: nothing of the event is kept.'),
  echo: flagField('echo', 'Without effect here: `socket_id` alone decides who is left out.'),
  idempotencyKey: textField('idempotencyKey', 'Message key where there is no `message_id`.'),
  push: objectField('push', 'Also a push notification to the devices of the channel.'),
  ai: objectField('ai', 'AI transport headers.'),
};

/** `extras` of a publish or a change: all members are validated when read, these are documented. */
export const extrasField = (
  description: string,
  documented: Readonly<Record<string, Field<unknown>>>,
): Field<JsonObject> => new Field('extras', { ...fieldsSchema(documented), description }, readExtrasObject);

function readExtrasObject(value: unknown, name: string): JsonObject {
  if (!isJsonObject(value)) throw wrong(name, 'be an object');
  for (const field of Object.values<Field<unknown>>(EXTRAS)) field.of(value);
  return value;
}

/** Headers that are null count as absent. */
function readHeaders(value: unknown): JsonObject {
  const given = isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).filter(([, one]) => one !== null))
    : value;
  const problem = headersProblem(given);
  if (problem !== null) throw new ServiceError('invalid_input', { text: `extras.${problem}` });
  return given as JsonObject;
}

/** Members of a publish. */
export const EVENT = {
  name: textField('name', 'Name of the event, at most `max_event_name_length` bytes of the app.', {
    minBytes: 1,
  }),
  channels: listField(
    'channels',
    'Where to, at most `max_event_channels_at_once` of the app. Wins over `channel`; repeated names count once.',
    { items: { type: 'string' }, minItems: 1 },
  ),
  channel: textField('channel', 'Where to, when it is one channel.'),
  data: anyField(
    'data',
    'A string is delivered as it is, anything else as the string of its compact JSON text; absent, as `null`. ' +
      'At most `max_event_payload_in_kb` of the app, in UTF-8.',
  ),
  socketId: new Field(
    'socket_id',
    {
      type: 'string',
      pattern: '^[0-9]+\\.[0-9]+$',
      description:
        'The connection that does not get it. Its signed-in user is the creator of a versioned message, except in role `api`.',
    },
    readSocketId,
  ),
  info: textField('info', infoDescription('subscription_count', 'user_count')),
  tags: objectField('tags', 'What protocol 2 subscribers filter by.', {
    additionalProperties: { type: ['string', 'null'] },
  }),
  delta: flagField(
    'delta',
    'False: protocol 2 subscribers get the whole message. Else as the channel is set.',
  ),
  idempotencyKey: textField(
    'idempotency_key',
    'The event is published once for this key, which wins over the header. 1 to `idempotency.max_key_length` bytes.',
  ),
  messageId: textField(
    'message_id',
    'The message is delivered once for this id and channel. 1 to `idempotency.max_key_length` bytes, 64 on AI channels.',
  ),
  extras: extrasField('Envelope of protocol 2; protocol 1 does not see it.', EXTRAS),
};

/** One event, alone or in a batch. */
export const EVENT_SCHEMA = {
  ...fieldsSchema(EVENT, [EVENT.name]),
  anyOf: [{ required: [EVENT.channels.name] }, { required: [EVENT.channel.name] }],
};

function readSocketId(value: unknown, name: string): string {
  if (typeof value === 'string' && isSocketId(value)) return value;
  throw wrong(name, 'be two numbers joined by a dot');
}

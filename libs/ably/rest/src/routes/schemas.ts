import type { ErrorBody, WireAnnotation, WireMember, WireMessage } from '@carillon/ably-core';
import {
  anything,
  count,
  flag,
  type JsonSchema,
  listOf,
  mapOf,
  object,
  oneOf,
  type Shape,
  text,
} from '@carillon/api-operations';

const map = (description: string) => mapOf(anything('Any JSON.'), description);
const time = (description: string) => count(`${description}, in milliseconds since 1970.`);

export const ERROR: Shape<ErrorBody> = object({
  message: text('For people; may change.'),
  code: count('For programs; never changes.'),
  statusCode: count('The HTTP status.'),
});
const REFUSED = object({ error: ERROR });

export const MESSAGE: Shape<WireMessage> = object(
  {
    timestamp: time('When it was published'),
    action: count('0 new, 1 updated, 2 deleted, 4 summary of annotations, 5 appended.'),
  },
  {
    id: text('What it was published once for.'),
    name: text('Its name.'),
    data: text('Its data as published; bytes in MessagePack where they were bytes.'),
    encoding: text('How the data is encoded, the outermost last.'),
    clientId: text('Who published it.'),
    connectionId: text('The connection that published it.'),
    serial: text('Its place; the same for all of its versions.'),
    version: object(
      { serial: text('Of this version.'), timestamp: time('When it was made') },
      {
        clientId: text('Who made it.'),
        description: text('What for.'),
        metadata: map('Whatever came with the change.'),
      },
    ),
    annotations: object({ summary: map('What annotations come to, by type.') }),
    extras: map('`headers`, `ai`, `ref` and `ephemeral` as published.'),
  },
);

export const NEW_MESSAGE = object(
  {},
  {
    id: text('It is published once for this id, 1 to 128 bytes.'),
    name: text('Its name.'),
    data: anything('A text, bytes in MessagePack, or other JSON if there is no `encoding`.'),
    encoding: text('How the data is encoded.'),
    clientId: text('Who publishes it, where the credentials leave that open.'),
    connectionKey: text('The connection for which it is published.'),
    extras: map('`headers`, `ai`, `echo`, `ephemeral`, `push` and `ref`.'),
  },
);
const MANY = (item: Shape<unknown>, most: number): JsonSchema => ({
  anyOf: [item.schema, { type: 'array', minItems: 1, maxItems: most, items: item.schema }],
});
export const NEW_MESSAGES = MANY(NEW_MESSAGE, 1000);

export const PUBLISHED = object({
  channel: text('As named by the caller.'),
  messageId: text('What the ids of all of them begin with; of one, its id.'),
  serials: listOf(text('Where messages live on the serial, else the id.'), 'One for each message, in order.'),
});

const BATCH: JsonSchema = {
  type: 'object',
  required: ['channels', 'messages'],
  properties: {
    channels: {
      description: 'Names of channels.',
      anyOf: [{ type: 'string' }, { type: 'array', minItems: 1, maxItems: 100, items: { type: 'string' } }],
    },
    messages: NEW_MESSAGES,
  },
};
export const BATCHES: JsonSchema = {
  anyOf: [BATCH, { type: 'array', minItems: 1, maxItems: 100, items: BATCH }],
};
const failed = object({ channel: text('As named by the caller.'), error: ERROR });
const outcomes = (done: Shape<unknown>): JsonSchema => ({
  type: 'array',
  items: { anyOf: [done.schema, failed.schema] },
});
const counted = (results: JsonSchema): JsonSchema => ({
  type: 'object',
  required: ['successCount', 'failureCount', 'results'],
  properties: {
    successCount: count('Of how many it was done.').schema,
    failureCount: count('Of how many it was not.').schema,
    results,
  },
});
export const BATCHES_DONE: JsonSchema = { type: 'array', items: counted(outcomes(PUBLISHED)) };
export const BATCH_DONE: JsonSchema = { type: 'array', items: PUBLISHED.schema };
export const BATCH_REFUSED: JsonSchema = {
  type: 'object',
  required: ['error'],
  properties: { error: ERROR.schema, batchResponse: outcomes(PUBLISHED) },
};

export const EDIT = object(
  {},
  {
    action: anything('1 update, 2 delete, 5 append, or their names; update when absent.'),
    serial: text('Equal to that of the path.'),
    name: text('The new name.'),
    data: anything('The new data, or the text to append.'),
    encoding: text('How the data is encoded.'),
    extras: map('The new extras.'),
    version: object(
      {},
      { clientId: text('Who changes it.'), description: text('What for.'), metadata: map('Texts by name.') },
    ),
  },
);
export const EDITED = object({ versionSerial: text('Of the new version.') });

export const ANNOTATION: Shape<WireAnnotation> = object(
  {
    action: count('0 made, 1 taken back.'),
    serial: text('Its place.'),
    messageSerial: text('Of the message.'),
    type: text('`<namespace>:<method>.v1`.'),
    timestamp: time('When it was made'),
  },
  {
    id: text('What it was made once for.'),
    name: text('Its name.'),
    clientId: text('Who made it.'),
    count: count('How often it counts.'),
    data: text('Its data.'),
    encoding: text('How the data is encoded.'),
  },
);
const NEW_ANNOTATION = object(
  { type: text('`<namespace>:<method>.v1`, the method one of flag, distinct, unique, multiple, total.') },
  {
    action: anything('0 makes it, 1 takes it back; also their names.'),
    id: text('It is made once for this id.'),
    serial: text('Of what is taken back.'),
    name: text('Its name.'),
    clientId: text('Who makes it, where the credentials leave that open.'),
    count: count('How often it counts.'),
    data: anything('Its data.'),
    encoding: text('How the data is encoded.'),
  },
);
export const NEW_ANNOTATIONS = MANY(NEW_ANNOTATION, 1000);

export const MEMBER: Shape<WireMember> = object(
  {
    action: count('1 present, 2 entered, 3 left, 4 updated.'),
    clientId: text('Who it is.'),
    connectionId: text('By which connection.'),
    timestamp: time('Of when this is'),
  },
  {
    id: text('Which state it is.'),
    data: text('As given.'),
    encoding: text('How the data is encoded.'),
    extras: map('As given.'),
  },
);
export const MEMBERS_OF_MANY = counted(
  outcomes(object({ channel: text('As asked.'), presence: listOf(MEMBER, 'Who is there.') })),
);

export const CHANNEL_STATUS = object({
  channelId: text('Name of the channel.'),
  status: object({
    isActive: flag('Whether anybody is there or anything is kept.'),
    occupancy: object({
      metrics: object({
        connections: count('Connections on the channel.'),
        publishers: count('Those that may publish.'),
        subscribers: count('Those that are sent messages.'),
        presenceConnections: count('Those that may be members.'),
        presenceMembers: count('Members.'),
        presenceSubscribers: count('Those that are told of members.'),
      }),
    }),
  }),
});

const unit = oneOf(['minute', 'hour', 'day', 'month'], 'How long an interval is.');
const legacy = Object.fromEntries(
  ['inbound', 'outbound', 'persisted', 'connections', 'channels', 'apiRequests', 'tokenRequests', 'push'].map(
    (name) => [name, map('The same numbers, nested.')],
  ),
);
const intervalId = text('`2025-06-15:14:05`, `2025-06-15:14`, `2025-06-15` or `2025-06`, in UTC.');
export const INTERVAL = object(
  {
    intervalId,
    unit,
    appId: text('The app.'),
    schema: text('Of which kind the numbers are.'),
    entries: mapOf(count('A number.'), 'Numbers by their names.'),
  },
  { ...legacy, inProgress: text('The last minute so far, of an interval that is not over.') },
);
export const FIXTURES: JsonSchema = {
  anyOf: [
    object({ intervalId }).schema,
    { type: 'array', maxItems: 10_000, items: object({ intervalId }).schema },
  ],
};
export const AGGREGATION = object({
  backlog: count('Observations that wait.'),
  queueCapacity: count('How many may.'),
  dropped: count('How many did not fit.'),
  flushFailures: count('How often nothing could be written.'),
  flushedBatches: count('How often something was.'),
  flushedObservations: count('How many were written.'),
  lastFlushLagMs: count('How long the last waited.'),
});
export const COUNTERS = mapOf(count('Since the process began, or now.'), 'Counters by their names.');

export const TOKEN_REQUEST = object(
  {
    keyName: text('Equal to that of the path.'),
    timestamp: anything('Milliseconds since 1970, as a number or as decimal text.'),
    nonce: text('Used once, 1 to 256 bytes.'),
    mac: text(
      'Base64 of the HMAC-SHA256 of six lines, keyed with the secret: keyName, ttl, capability, clientId, timestamp, nonce.',
    ),
  },
  {
    ttl: anything('Milliseconds, as a number or as decimal text.'),
    capability: text('JSON text; that of the key when absent.'),
    clientId: text('Whom the token is for; `*`: anybody.'),
  },
);
export const TOKEN = object(
  {
    token: text('To be sent as it is.'),
    keyName: text('Whose token it is.'),
    issued: time('Since when it is good'),
    expires: time('Until when'),
    capability: text('JSON text of what it grants.'),
  },
  { clientId: text('Whom it is for.') },
);
export const REVOCATION: JsonSchema = {
  type: 'object',
  required: ['targets'],
  properties: {
    targets: {
      type: 'array',
      minItems: 1,
      maxItems: 100,
      items: { type: 'string' },
      description: '`clientId:…`, `revocationKey:…` or `channel:…`.',
    },
    issuedBefore: {
      type: ['integer', 'null'],
      description: 'Tokens issued earlier; all so far when absent.',
    },
    allowReauthMargin: {
      type: ['boolean', 'null'],
      description: 'Clients are given 30 s for another token.',
    },
  },
};
const target = text('As asked.');
export const REVOKED = counted({
  type: 'array',
  items: {
    anyOf: [
      object({
        target,
        issuedBefore: time('Of which tokens'),
        appliesAt: time('Since when they are refused'),
      }).schema,
      object({ target, error: ERROR }).schema,
    ],
  },
});

export const TIME: JsonSchema = { type: 'array', minItems: 1, maxItems: 1, items: { type: 'integer' } };
export const NOTHING: JsonSchema = { type: 'object', maxProperties: 0 };
export const REFUSAL = REFUSED.schema;
export const listed = (item: Shape<unknown>): JsonSchema => ({ type: 'array', items: item.schema });

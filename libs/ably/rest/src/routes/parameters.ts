import type { JsonSchema } from '@carillon/api-operations';

const query = (name: string, description: string, schema: JsonSchema = { type: 'string' }) =>
  ({ in: 'query', name, description, schema }) as const;
const header = (name: string, description: string) =>
  ({ in: 'header', name, description, schema: { type: 'string' } }) as const;

const AT_LEAST_1 = { type: 'integer', minimum: 1, default: 100 };
const UP_TO_1000 = { ...AT_LEAST_1, maximum: 1000 };
const words = (...names: string[]): JsonSchema => ({ enum: names });
const BACKWARDS = ['backwards', 'newest_first', 'reverse'];
const FORWARDS = ['forwards', 'forward', 'oldest_first'];

/** Query and header parameters by unique names, since one word may mean several things. */
export const PARAMETERS = {
  format: query('format', 'Format of the answer; that of `Accept` when absent.', words('json', 'msgpack')),
  limit: query('limit', 'Items of a page; more than the service allows are as many as it does.', AT_LEAST_1),
  limitTo1000: query('limit', 'Items of a page.', UP_TO_1000),
  direction: query('direction', '`backwards` when absent.', words(...BACKWARDS, ...FORWARDS)),
  versionDirection: query('direction', '`forwards` when absent.', words(...FORWARDS, ...BACKWARDS)),
  statsDirection: query(
    'direction',
    '`backwards` when absent.',
    words('backwards', 'backward', 'forwards', 'forward'),
  ),
  cursor: query('cursor', 'Where the page begins, from a link of another page.'),
  startTime: query('start', 'The first millisecond since 1970.', { type: 'integer', minimum: 0 }),
  endTime: query('end', 'The last millisecond since 1970.', { type: 'integer', minimum: 0 }),
  start: query('start', 'The first interval: its id, or a time in milliseconds.'),
  end: query('end', 'The last interval: its id, or a time in milliseconds.'),
  fromSerial: query('from_serial', 'Up to this place of the channel, or this message.'),
  untilAttach: query('untilAttach', 'Needs `from_serial`.', { type: 'boolean' }),
  type: query('type', 'Annotations of this type.'),
  clientFilter: query('clientId', 'Of this client.'),
  connectionFilter: query('connectionId', 'Of this connection.'),
  deviceFilter: query('deviceId', 'Of this device.'),
  channelFilter: query('channel', 'Of this channel.'),
  channels: query('channels', '1 to 100 names of channels, with commas between them.'),
  unit: query('unit', '`minute` when absent; also as `by`.', words('minute', 'hour', 'day', 'month')),
  clientId: query('clientId', 'As whom the caller acts.'),
  clientIdHeader: header('X-Ably-ClientId', 'As whom the caller acts, in base64.'),
  editKey: header('X-Idempotency-Key', 'The change is made once for this key, up to 64 bytes.'),
  pushKey: header('Idempotency-Key', 'The push is published once for this key; also `X-Idempotency-Key`.'),
} as const;

export type ParameterName = keyof typeof PARAMETERS;

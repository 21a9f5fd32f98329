import { documentPath, type JsonSchema, type Mark } from '@carillon/api-operations';
import { MARKS } from '../pipeline/exchange.js';
import { KEY_HEADER } from '../pipeline/input.js';
import type { Route } from '../routes.js';
import { errorResponses } from './errors.js';

/** Path parameters and signature parameters besides the security schemes. */
export const SHARED_PARAMETERS = {
  appId: path('Id of the app that the key belongs to.'),
  channelName: path('Name of the channel, percent-encoded.'),
  userId: path('Id of the user, percent-encoded.'),
  messageSerial: path('Serial of the message.'),
  annotationSerial: path('Serial of the annotation.'),
  auth_version: query('Usually `1.0`; signed when present.'),
  body_md5: query('Lower-case hex MD5 of the raw body; required with a body that is not empty.'),
} as const;

const keyIn = (name: string, description: string) => ({ type: 'apiKey', in: 'query', name, description });

/** The parameters that authenticate a signed request. */
export const SIGNATURE = {
  auth_key: keyIn('auth_key', 'Key of the app.'),
  auth_timestamp: keyIn('auth_timestamp', 'Unix time in seconds, at most 600 away from that of the server.'),
  auth_signature: keyIn('auth_signature', 'The signature.'),
};

/** The security requirement of a signed request. */
export const SIGNED = Object.fromEntries(Object.keys(SIGNATURE).map((name) => [name, []]));

const LIMIT_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

export const pathOf = ({ path: below }: Route): string => documentPath(`/apps/:appId${below}`);

/** Descriptions of the marks. */
const MARK_TEXTS: Readonly<Record<Mark, string>> = {
  partial: '`true` when some process did not answer in time.',
  replayed: '`true` when nothing was published again.',
};

const REQUEST_KEY = {
  in: 'header',
  name: KEY_HEADER,
  description:
    'The request is carried out once for this key. 1 to `idempotency.max_key_length` ASCII characters.',
  schema: { type: 'string', minLength: 1 },
} as const;

/** One operation of the document. */
export function operation(operationId: string, route: Route): JsonSchema {
  const { area, summary, description, body, mayLackBody, result } = route.operation;
  return {
    operationId,
    tags: [area],
    summary,
    description: `${description}${rateNote(route)}`,
    parameters: [...sharedParameters(route), ...ownParameters(route)],
    ...(body === undefined ? {} : { requestBody: { required: mayLackBody !== true, content: json(body) } }),
    ...(route.takesTokens ? { security: [SIGNED, { capability_token: [] }] } : {}),
    responses: {
      '200': {
        description: 'Done.',
        headers: replyHeaders(route),
        content: json(result.schema),
      },
      ...errorResponses(route),
    },
  };
}

function rateNote({ operation: { rate } }: Route): string {
  if (rate === null) return '';
  const limit = rate === 'backend' ? 'max_backend_events_per_second' : 'max_read_requests_per_second';
  return ` Counts in \`${limit}\` of the app.`;
}

function ownParameters({ operation: { options, takesRequestKey } }: Route): JsonSchema[] {
  const parameters = options.map(({ name, description }) => ({
    in: 'query',
    name,
    description,
    schema: { type: 'string' },
  }));
  return [...parameters, ...(takesRequestKey ? [REQUEST_KEY] : [])];
}

function sharedParameters(route: Route): JsonSchema[] {
  const segments = [...pathOf(route).matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const names = [...segments, 'auth_version', ...(route.method === 'POST' ? ['body_md5'] : [])];
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

function replyHeaders({ operation: { mark } }: Route): JsonSchema {
  const limits = LIMIT_HEADERS.map((name): [string, JsonSchema] => [
    name,
    { description: 'When client addresses are limited.', schema: { type: 'integer', minimum: 0 } },
  ]);
  const own =
    mark === undefined ? {} : { [MARKS[mark]]: { description: MARK_TEXTS[mark], schema: { const: 'true' } } };
  return { ...Object.fromEntries(limits), ...own };
}

const json = (schema: JsonSchema): JsonSchema => ({ 'application/json': { schema } });

function path(description: string) {
  return { in: 'path', required: true, description, schema: { type: 'string', minLength: 1 } } as const;
}

function query(description: string) {
  return { in: 'query', required: false, description, schema: { type: 'string' } } as const;
}

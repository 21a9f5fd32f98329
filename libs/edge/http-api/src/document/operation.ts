import type { JsonSchema } from '../describe/json-schema.js';
import type { Route } from '../describe/route.js';
import { errorResponses } from './errors.js';

/** Segments of paths, and what the signature needs besides its security schemes. */
export const SHARED_PARAMETERS = {
  appId: path('Id of the app that the key belongs to.'),
  channelName: path('Name of the channel, percent-encoded.'),
  userId: path('Id of the user, percent-encoded.'),
  auth_version: query('Usually `1.0`; signed when present.'),
  body_md5: query('Lower-case hex MD5 of the raw body; required with a body that is not empty.'),
} as const;

const LIMIT_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

/** `/apps/:appId/channels/:channelName` as the document writes it. */
export const documentPath = ({ path: below }: Route): string =>
  `/apps/:appId${below}`.replaceAll(/:(\w+)/g, '{$1}');

/** One operation of the document. */
export function operation(operationId: string, route: Route): JsonSchema {
  return {
    operationId,
    tags: [route.tag],
    summary: route.summary,
    description: `${route.description}${rateNote(route)}`,
    parameters: [...sharedParameters(route), ...(route.parameters ?? []).map((one) => ({ ...one }))],
    ...(route.body === undefined ? {} : { requestBody: { required: true, content: json(route.body) } }),
    responses: {
      '200': {
        description: 'Done.',
        headers: replyHeaders(route),
        content: json(route.reply.schema),
      },
      ...errorResponses(route),
    },
  };
}

function rateNote({ rate }: Route): string {
  if (rate === null) return '';
  const limit = rate === 'backend' ? 'max_backend_events_per_second' : 'max_read_requests_per_second';
  return ` Counts in \`${limit}\` of the app.`;
}

function sharedParameters(route: Route): JsonSchema[] {
  const segments = [...documentPath(route).matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const names = [...segments, 'auth_version', ...(route.method === 'POST' ? ['body_md5'] : [])];
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

function replyHeaders({ replyHeaders: own = {} }: Route): JsonSchema {
  const limits = LIMIT_HEADERS.map((name): [string, JsonSchema] => [
    name,
    { description: 'When client addresses are limited.', schema: { type: 'integer', minimum: 0 } },
  ]);
  const others = Object.entries(own).map(([name, description]): [string, JsonSchema] => [
    name,
    { description, schema: { const: 'true' } },
  ]);
  return Object.fromEntries([...limits, ...others]);
}

const json = (schema: JsonSchema): JsonSchema => ({ 'application/json': { schema } });

function path(description: string) {
  return { in: 'path', required: true, description, schema: { type: 'string', minLength: 1 } } as const;
}

function query(description: string) {
  return { in: 'query', required: false, description, schema: { type: 'string' } } as const;
}

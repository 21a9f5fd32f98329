import { CHANNEL_OUTCOME, EVENT_SCHEMA, type JsonSchema, openApiDocument } from '@carillon/api-operations';
import type { Route } from '../routes.js';
import { ERROR } from './errors.js';
import { operation, pathOf, SHARED_PARAMETERS, SIGNATURE, SIGNED } from './operation.js';
import { pushPaths } from './push.js';

/** Schemas used in several places, by name. */
const NAMED: Readonly<Record<string, JsonSchema>> = {
  ChannelOutcome: CHANNEL_OUTCOME.schema,
  Error: ERROR.schema,
  Event: EVENT_SCHEMA,
};

const DESCRIPTION =
  'The signed HTTP API. `auth_signature` is the lower-case hex HMAC-SHA256, keyed with the secret of the app, of the ' +
  'method, the path as sent and every other query parameter: decoded, names in lower case, sorted, joined as ' +
  '`name=value` with `&`; the three parts joined by line feeds. Bounds of text count bytes of UTF-8. A member that ' +
  'is null counts as absent; unknown members are ignored.';

const TAGS = [
  { name: 'publish', description: 'Events to channels.' },
  { name: 'state', description: 'Channels and their members.' },
  { name: 'messages', description: 'Messages that live on: changes and versions.' },
  { name: 'annotations', description: 'What is annotated to messages.' },
  { name: 'users', description: 'Connections of users.' },
  { name: 'tokens', description: 'Capability tokens.' },
  { name: 'push', description: 'Notifications to devices.' },
];

const CAPABILITY_TOKEN = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'JWT',
  description:
    'A capability token. The request acts as its client id with its rights; `socket_id` is ignored.',
};

/** Returns the OpenAPI 3.1 document of routes below a prefix, as text. */
export function openApiText(routes: Readonly<Record<string, Route>>, pathPrefix = '/'): string {
  const paths: Record<string, JsonSchema> = {};
  for (const [name, route] of Object.entries(routes)) {
    const path = pathOf(route);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(name, route) };
  }
  for (const [path, operations] of Object.entries(pushPaths())) paths[path] = operations;
  const parameters = Object.entries(SHARED_PARAMETERS).map(([name, one]) => [name, { name, ...one }]);
  return openApiDocument({
    title: 'Carillon',
    description: DESCRIPTION,
    tags: TAGS,
    pathPrefix,
    paths,
    schemas: NAMED,
    components: {
      parameters: Object.fromEntries(parameters) as object,
      securitySchemes: { ...SIGNATURE, capability_token: CAPABILITY_TOKEN },
    },
    security: [SIGNED],
  });
}

import { documentPath, type JsonSchema, openApiDocument } from '@carillon/api-operations';
import { PARAMETERS } from '../routes/parameters.js';
import { DEVICE, REGISTERED_DEVICE, SUBSCRIPTION } from '../routes/push-schemas.js';
import type { CompatRoute } from '../routes/route.js';
import { ANNOTATION, ERROR, INTERVAL, MEMBER, MESSAGE, NEW_MESSAGE, PUBLISHED } from '../routes/schemas.js';
import { operation, PROOFS, REFUSED } from './operation.js';

/** Schemas used in several places, by their names in the document. */
const NAMED: Readonly<Record<string, JsonSchema>> = {
  Annotation: ANNOTATION.schema,
  Device: DEVICE.schema,
  Error: ERROR.schema,
  Interval: INTERVAL.schema,
  Member: MEMBER.schema,
  Message: MESSAGE.schema,
  NewMessage: NEW_MESSAGE.schema,
  Published: PUBLISHED.schema,
  RegisteredDevice: REGISTERED_DEVICE.schema,
  Subscription: SUBSCRIPTION.schema,
};

const DESCRIPTION =
  'The HTTP API for Ably clients. Bodies and answers are JSON, or MessagePack where `Content-Type`, `Accept` or `format` ' +
  'says so; errors are always JSON. A member that is null counts as absent; unknown members and parameters are ignored. ' +
  'Pages are linked by `Link`. What is not enabled is not there.';

const TAGS = [
  { name: 'connection', description: 'Connections, and the time.' },
  { name: 'tokens', description: 'Tokens, given and taken back.' },
  { name: 'messages', description: 'Messages, their history, changes and annotations.' },
  { name: 'presence', description: 'Who is on a channel.' },
  { name: 'statistics', description: 'What an app did, interval by interval.' },
  { name: 'push', description: 'Notifications to devices.' },
];

/** Renders the OpenAPI 3.1 document of these routes, below the path prefix, as text. */
export function openApiText(routes: Readonly<Record<string, CompatRoute>>, pathPrefix = '/'): string {
  const paths: Record<string, JsonSchema> = {};
  const add = (name: string, route: CompatRoute): void => {
    const path = documentPath(route.path);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(name, route) };
  };
  for (const [name, route] of Object.entries(routes)) {
    add(name, route);
    if (route.alias !== undefined) add(`${name}ByAlias`, { ...route, path: route.alias });
  }
  return openApiDocument({
    title: 'Carillon for Ably clients',
    description: DESCRIPTION,
    tags: TAGS,
    pathPrefix,
    paths,
    schemas: NAMED,
    components: { parameters: PARAMETERS, responses: { Refused: REFUSED }, securitySchemes: PROOFS },
  });
}

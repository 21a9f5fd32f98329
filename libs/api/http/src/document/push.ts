import { documentPath, type JsonSchema } from '@carillon/api-operations';
import { PUSH_ANSWERS, PUSH_ROUTES, type PushRoute, type PushRouteName } from '@carillon/push-core';
import { ERROR } from './errors.js';

const CAPABILITY = {
  in: 'header',
  name: 'x-service-push-capability',
  description: 'Whom the caller acts for; absent: `push-admin`.',
  schema: { enum: ['push-admin', 'push-subscribe'] },
};

const IDENTITY = {
  in: 'header',
  name: 'x-service-device-identity-token',
  description: 'The token of the device, needed with `push-subscribe`.',
  schema: { type: 'string' },
};

const LIST = ['limit', 'cursor'];

/** The paths of push, with their operations. */
export function pushPaths(): Record<string, JsonSchema> {
  const paths: Record<string, JsonSchema> = {};
  for (const [name, route] of Object.entries(PUSH_ROUTES) as [PushRouteName, PushRoute][]) {
    const path = documentPath(`/apps/:appId/push${route.path}`);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(name, route) };
  }
  return paths;
}

function operation(
  operationId: PushRouteName,
  { method, path, summary, status, forDevices, query, isList, body }: PushRoute,
) {
  const segments = [...path.matchAll(/:(\w+)/g)].map(([, segment = '']) => ({
    in: 'path',
    name: segment,
    required: true,
    schema: { type: 'string', minLength: 1 },
  }));
  const asked = [...query, ...(isList ? LIST : [])].map((one) => ({
    in: 'query',
    name: one,
    required: false,
    schema: { type: 'string' },
  }));
  const shared = ['appId', 'auth_version', ...(method === 'POST' ? ['body_md5'] : [])];
  return {
    operationId,
    tags: ['push'],
    summary,
    parameters: [
      ...shared.map((one) => ({ $ref: `#/components/parameters/${one}` })),
      ...segments,
      ...asked,
      CAPABILITY,
      ...(forDevices ? [IDENTITY] : []),
    ],
    ...(body === undefined ? {} : { requestBody: { required: true, content: json(body) } }),
    responses: {
      [String(status)]:
        status === 204
          ? { description: 'Done.' }
          : { description: 'Done.', content: json(PUSH_ANSWERS[operationId] ?? {}) },
      default: { description: 'Not done.', content: json(ERROR.schema) },
    },
  };
}

const json = (schema: JsonSchema): JsonSchema => ({ 'application/json': { schema } });

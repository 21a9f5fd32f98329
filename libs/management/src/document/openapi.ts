import { ERRORS, type HttpErrorCode } from '@carillon/errors';
import { PREFIX } from '../http/matching.js';
import type { Route } from '../routes/route.js';

/** Codes that every route can answer with. */
const COMMON: readonly HttpErrorCode[] = ['invalid_input', 'rate_limited', 'service_unavailable'];
const OF_BODIES: readonly HttpErrorCode[] = ['payload_too_large', 'unsupported_media_type'];

const PARAMETER = /:([a-z_]+)/g;

/** Builds the OpenAPI 3.1 document of a route table. */
export function managementDocument(routes: readonly Route[], version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const one of routes) {
    const path = `${PREFIX}${one.path.replaceAll(PARAMETER, '{$1}')}`;
    paths[path] = { ...paths[path], [one.method.toLowerCase()]: operationOf(one) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Carillon management API', version },
    paths,
    components: {
      schemas: { Error: ERROR },
      securitySchemes: {
        operatorToken: { type: 'http', scheme: 'bearer' },
        session: { type: 'apiKey', in: 'cookie', name: '__Host-service_manage' },
      },
    },
  };
}

const ERROR = {
  type: 'object',
  required: ['error', 'code', 'status'],
  properties: {
    error: { type: 'string' },
    code: { type: 'string' },
    status: { type: 'integer' },
    fields: {
      type: 'array',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: { path: { type: 'string' }, message: { type: 'string' } },
      },
    },
  },
};

function operationOf(one: Route): object {
  return {
    operationId: one.name,
    summary: one.summary,
    'x-service-scope': one.scope ?? 'none',
    'x-service-apps': one.app,
    security: one.scope === null ? [] : [{ operatorToken: [] }, { session: [] }],
    parameters: [...pathParameters(one), ...queryParameters(one)],
    ...(one.body === null ? {} : { requestBody: requestBody(one) }),
    responses: { [one.status]: success(one), ...failures(one) },
  };
}

const pathParameters = ({ path }: Route): object[] =>
  [...path.matchAll(PARAMETER)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));

const queryParameters = ({ query }: Route): object[] =>
  Object.entries(query).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    ...(description === undefined ? {} : { description }),
    ...(schema.type === 'array' ? { style: 'form', explode: false } : {}),
    schema,
  }));

function requestBody({ body, bodyTypes, mayLackBody }: Route): object {
  const types = ['application/json', ...bodyTypes];
  return {
    required: !mayLackBody,
    content: Object.fromEntries(types.map((type) => [type, { schema: body }])),
  };
}

function success({ status, isStream, summary, answer }: Route): object {
  if (status === 204) return { description: summary };
  const type = isStream ? 'text/event-stream' : 'application/json';
  return { description: summary, content: { [type]: { schema: isStream ? { type: 'string' } : answer } } };
}

/** Codes of a route by their status. */
function failures(one: Route): Record<string, object> {
  const codes = new Set<HttpErrorCode>([
    ...COMMON,
    ...(one.scope === null ? [] : (['auth_failed', 'forbidden', 'csrf_failed'] as const)),
    ...(one.app === 'app' || one.path.includes(':app_id') ? (['app_not_found'] as const) : []),
    ...(one.body === null ? [] : OF_BODIES),
    ...one.errors,
  ]);
  if (one.scope === null) codes.add('auth_failed');
  const byStatus = new Map<number, HttpErrorCode[]>();
  for (const code of codes) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, names]) => [
      String(status),
      {
        description: names.map((name) => `\`${name}\`: ${ERRORS[name].text}`).join('; '),
        'x-service-codes': names,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  );
}

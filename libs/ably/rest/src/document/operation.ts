import type { JsonSchema } from '@carillon/api-operations';
import type { CompatRoute } from '../routes/route.js';
import { REFUSAL } from '../routes/schemas.js';

const inQuery = (name: string, description: string) => ({ type: 'apiKey', in: 'query', name, description });

/** Ways of authentication. */
export const PROOFS = {
  key: { type: 'http', scheme: 'basic', description: 'Name and secret of a key.' },
  keyInQuery: inQuery('key', 'Name and secret of a key, with a colon between them.'),
  token: { type: 'http', scheme: 'bearer', description: 'A token in base64, or a JWT.' },
  tokenInQuery: inQuery('access_token', 'A token or a JWT.'),
  device: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Ably-DeviceToken',
    description: 'What a device was given when it was registered.',
  },
};

const BY_KEY = ['key', 'keyInQuery'] as const;
const BY_CALLER = [...BY_KEY, 'token', 'tokenInQuery'] as const;
const SCHEMES: Readonly<Record<CompatRoute['proof'], readonly (keyof typeof PROOFS)[]>> = {
  nothing: [],
  key: BY_KEY,
  caller: BY_CALLER,
  device: [...BY_CALLER, 'device'],
};

const ofText = (description: string) => ({ description, schema: { type: 'string' } });
const ERROR_HEADERS = {
  'x-ably-errorcode': { description: 'The code of the error.', schema: { type: 'integer' } },
  'x-ably-errormessage': ofText('Its text, in one line of ASCII.'),
  'Retry-After': {
    description: 'Seconds to wait, of 429 and 503.',
    schema: { type: 'integer', minimum: 1 },
  },
};
const LINK = {
  Link: ofText('`first` always, `next` where there is more, as `<./word?query>; rel="…"`.'),
};

/** Every refusal. */
export const REFUSED = {
  description: 'Not done.',
  headers: ERROR_HEADERS,
  content: { 'application/json': { schema: REFUSAL } },
};

/** One operation of the document. */
export function operation(operationId: string, route: CompatRoute): JsonSchema {
  const { area, summary, proof, rights, body, path, parameters } = route;
  const segments = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    in: 'path',
    name,
    required: true,
    description: 'Percent-encoded.',
    schema: { type: 'string', minLength: 1 },
  }));
  const asked = ['format', ...parameters].map((name) => ({ $ref: `#/components/parameters/${name}` }));
  return {
    operationId,
    tags: [area],
    summary,
    ...(rights === undefined ? {} : { description: `Asks for: ${rights}.` }),
    security: SCHEMES[proof].map((name) => ({ [name]: [] })),
    parameters: [...segments, ...asked],
    ...(body === undefined ? {} : { requestBody: { required: true, content: inBoth(body) } }),
    responses: { ...answers(route), default: { $ref: '#/components/responses/Refused' } },
  };
}

function answers({ answers: byStatus, isPaged }: CompatRoute): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, schema]) => {
      if (Number(status) >= 400) return [status, { ...REFUSED, content: json(schema) }];
      const headers = isPaged ? { headers: LINK } : {};
      if (schema === null) return [status, { description: 'Done.' }];
      const content = schema === 'text' ? { 'text/plain': { schema: { type: 'string' } } } : inBoth(schema);
      return [status, { description: 'Done.', ...headers, content }];
    }),
  );
}

const json = (schema: unknown) => ({ 'application/json': { schema } });

const inBoth = (schema: JsonSchema): JsonSchema => ({
  ...json(schema),
  'application/x-msgpack': { schema },
});

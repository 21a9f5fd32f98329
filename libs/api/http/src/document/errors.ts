import { ERRORS, type ErrorBody, type ErrorRow, type HttpErrorCode } from '@carillon/errors';
import {
  count,
  object,
  oneOf,
  text,
  type JsonSchema,
  type OperationError,
  type Shape,
} from '@carillon/api-operations';
import type { Route } from '../routes.js';

/** Errors possible on every route. */
const EVERY_ROUTE: readonly OperationError[] = [
  'invalid_input',
  'auth_failed',
  'forbidden',
  'payload_too_large',
  'rate_limited',
  'headers_too_large',
  'internal_error',
  'service_unavailable',
];

const HTTP_CODES = Object.entries<ErrorRow>(ERRORS)
  .filter(([, { status }]) => status !== null)
  .map(([code]) => code as HttpErrorCode);

/** The one body of every error. */
export const ERROR: Shape<ErrorBody> = object(
  {
    error: text('For people; may change.'),
    code: oneOf(HTTP_CODES, 'For programs; never changes.'),
    status: count('The HTTP status.'),
  },
  {
    message: text('A second text of the limiter of client addresses.'),
    ai_code: count('In AI transport only.'),
  },
);

const RETRY_AFTER = {
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 1 } },
};

/** The error answers of a route by status. */
export function errorResponses({ operation: { errors } }: Route): Record<string, JsonSchema> {
  const byStatus = new Map<number, HttpErrorCode[]>();
  for (const one of [...EVERY_ROUTE, ...errors]) {
    const { code, status } = typeof one === 'string' ? { code: one, status: ERRORS[one].status } : one;
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [String(status), errorResponse(status, codes)]),
  );
}

function errorResponse(status: number, codes: readonly HttpErrorCode[]): JsonSchema {
  const lines = codes.map((code) => `\`${code}\`: ${ERRORS[code].text}`);
  const members = { code: { enum: codes }, status: { const: status } };
  return {
    description: lines.join('. '),
    ...(codes.some((code) => ERRORS[code].retryable) ? { headers: RETRY_AFTER } : {}),
    content: { 'application/json': { schema: { allOf: [ERROR.schema, { properties: members }] } } },
  };
}

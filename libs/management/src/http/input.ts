import { ServiceError, type FieldProblem } from '@carillon/errors';
import type { EndpointBody, HttpRequest } from '@carillon/uws';
import type { Route } from '../routes/route.js';
import { invalidFields } from './fields.js';
import { parseJsonBody } from './json-body.js';
import { checkValue } from './schema.js';

const MEDIA_TYPE = /^\s*([^\s;]+)\s*(;.*)?$/;

/** @throws ServiceError `unsupported_media_type` if a body is announced as another type than the route takes */
export function checkContentType({ body, bodyTypes, mayLackBody }: Route, request: HttpRequest): void {
  if (body === null) return;
  const header = request.headers['content-type'];
  const hasBody = request.isFramed && request.header('content-length') !== '0';
  if (!hasBody && mayLackBody) return;
  const [, type = ''] = MEDIA_TYPE.exec(header ?? '') ?? [];
  if (!['application/json', ...bodyTypes].includes(type.toLowerCase()))
    throw new ServiceError('unsupported_media_type');
}

/**
 * Reads the body of a route by its schema; undefined where the route takes none.
 *
 * @throws ServiceError `payload_too_large`, `service_unavailable`, `invalid_input`
 */
export function readBody({ body: schema, mayLackBody }: Route, body: EndpointBody): unknown {
  if (body.kind === 'too_large') throw new ServiceError('payload_too_large');
  if (body.kind !== 'read')
    throw new ServiceError('service_unavailable', { text: 'too many request bodies at the same time' });
  const value = parseJsonBody(body.bytes);
  if (schema === null) {
    if (value !== undefined) throw new ServiceError('invalid_input', { text: 'this request takes no body' });
    return undefined;
  }
  const given = value === undefined && mayLackBody ? {} : value;
  const problems: FieldProblem[] = [];
  if (given === undefined) throw new ServiceError('invalid_input', { text: 'a JSON body is required' });
  checkValue(schema, given, '', problems);
  if (problems.length > 0) throw invalidFields(problems);
  return given;
}

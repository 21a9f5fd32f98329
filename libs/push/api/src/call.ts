import type { App } from '@carillon/app-registry';
import { ServiceError } from '@carillon/errors';
import { invalid, type PushInput } from '@carillon/push-core';
import type { HttpRequest } from '@carillon/uws';

const CAPABILITY = 'x-service-push-capability';
const IDENTITY = 'x-service-device-identity-token';
const ROTATE = 'x-service-rotate-device-identity-token';
const QUOTA_OVERRIDE = 'x-service-push-quota-override';
const REQUEST_KEY = 'x-idempotency-key';
const YES = new Set(['1', 'true', 'TRUE', 'yes']);

/**
 * Converts a signed request into the input of an operation.
 * @throws ServiceError `forbidden` for an unknown capability.
 */
export function inputOf(app: App, query: ReadonlyMap<string, string>, request: HttpRequest): PushInput {
  const requestKey = request.header(REQUEST_KEY);
  return {
    app,
    caller: callerOf(request),
    segments: request.params,
    option: (name) => query.get(name.toLowerCase()) ?? query.get(name),
    body: () => bodyOf(request),
    ...(requestKey === undefined ? {} : { requestKey }),
    quotaOverride: request.header(QUOTA_OVERRIDE) !== undefined,
  };
}

function bodyOf(request: HttpRequest): unknown {
  const text = Buffer.from(request.rawBody ?? []).toString('utf8');
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw invalid('the body must be JSON');
  }
}

function callerOf(request: HttpRequest): PushInput['caller'] {
  const capability = request.header(CAPABILITY);
  if (capability === undefined || capability === 'push-admin') {
    return { kind: 'admin', rotates: YES.has(request.header(ROTATE) ?? '') };
  }
  if (capability === 'push-subscribe')
    return { kind: 'device', token: identityOf(request), address: request.ip };
  throw new ServiceError('forbidden', { text: 'the push capability is not known' });
}

/** Null: no identity token. */
function identityOf(request: HttpRequest): string | null {
  const own = request.header(IDENTITY);
  if (own !== undefined) return own;
  const [scheme, token = '', ...more] = (request.header('authorization') ?? '').split(' ');
  return scheme?.toLowerCase() === 'bearer' && token !== '' && more.length === 0 ? token : null;
}

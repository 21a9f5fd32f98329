import type { Config } from '@carillon/config';
import { ServiceError } from '@carillon/errors';
import type { HttpRequest } from '@carillon/uws';
import { transportOf } from '../http/transport.js';
import { sessionIdOf } from './cookies.js';
import type { LoginParts } from './login.js';
import type { AuthFailure, Principal } from './principals.js';
import type { ActiveSession } from './sessions.js';

/** The sender of a request. */
export interface Credential {
  readonly principal: Principal;
  /** Null: a bearer token. */
  readonly session: ActiveSession | null;
}

const REALM = 'Bearer realm="service-manage"';

/** The 401 of a credential that is missing or refused. */
export function unauthorized(reason: AuthFailure | 'session'): ServiceError {
  const isMissing = reason === 'missing';
  const text = isMissing
    ? 'an operator token or a session is required'
    : reason === 'expired'
      ? 'token expired'
      : reason === 'session'
        ? 'the session has ended'
        : 'the token is not valid';
  const challenge = isMissing ? REALM : `${REALM}, error="invalid_token"`;
  return new ServiceError('auth_failed', { text, headers: { 'www-authenticate': challenge } });
}

/**
 * Returns the sender of a request: of its bearer token, or of its cookie if it has no `Authorization` header.
 *
 * @throws ServiceError `auth_failed`; `rate_limited` after too many failures of the client address.
 */
export async function authenticate(
  request: HttpRequest,
  config: Pick<Config, 'management' | 'ssl'>,
  parts: LoginParts,
): Promise<Credential> {
  const header = request.header('authorization');
  if (header !== undefined) {
    const principal = parts.principals().ofHeader(request.headers['authorization'] ?? header, Date.now());
    if (typeof principal === 'string') throw await failure(request, principal, parts);
    return { principal, session: null };
  }
  const id = sessionIdOf(request, transportOf(request, config));
  if (id === null) throw await failure(request, 'missing', parts);
  const session = await parts.sessions.find(id);
  if (session === null) throw await failure(request, 'session', parts);
  return { principal: session.principal, session };
}

/** Returns the error of a failed credential; a request without any is no guess and is not counted. */
async function failure(
  { ip }: HttpRequest,
  reason: AuthFailure | 'session',
  { limits, authFailed }: LoginParts,
): Promise<unknown> {
  authFailed(reason);
  if (reason !== 'missing') await limits.credentialFailed(ip);
  return unauthorized(reason);
}

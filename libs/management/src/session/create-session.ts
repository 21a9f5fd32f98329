import { ServiceError } from '@carillon/errors';
import { AuditDraft } from '../audit/draft.js';
import { unauthorized } from '../auth/authenticate.js';
import { sessionCookie, sessionIdOf } from '../auth/cookies.js';
import { type AuthFailure, ONE_TIME_PRINCIPAL, type Principal } from '../auth/principals.js';
import type { Call } from '../http/call.js';
import { invalidField } from '../http/fields.js';
import type { Reply } from '../http/reply.js';
import type { ManagementParts } from '../parts.js';
import { sessionView } from './view.js';

interface Login {
  readonly token?: string;
  readonly one_time_token?: string;
}

/** Opens a session, always with a new id, and ends the session of a valid cookie that the request has. */
export async function createSession(call: Call<unknown, Login>, parts: ManagementParts): Promise<Reply> {
  const { address, transport } = call;
  if (!transport.isSecure && !transport.isLoopback) throw new ServiceError('insecure_transport');
  await parts.limits.admitLogin(address);
  const principal = principalOf(call, parts);
  if (typeof principal === 'string') {
    await failed(call, parts, principal);
    throw unauthorized(principal);
  }
  const entry = await parts.audit.begin(subjectOf(call, principal.name), new AuditDraft(null));
  try {
    await endFormer(call, parts);
    const session = await parts.sessions.create(principal);
    await entry.complete(201);
    return {
      status: 201,
      body: sessionView(session),
      headers: { 'set-cookie': sessionCookie(session.id, transport) },
    };
  } catch (error) {
    await entry.complete(503);
    throw error;
  }
}

function principalOf(
  { body, transport }: Call<unknown, Login>,
  parts: ManagementParts,
): AuthFailure | Principal {
  const { token, one_time_token: oneTime } = body;
  if ((token === undefined) === (oneTime === undefined))
    throw invalidField('token', 'exactly one of token and one_time_token is required');
  if (token !== undefined) return parts.principals().ofToken(token, Date.now());
  const isRedeemed =
    parts.settings().one_time_login && transport.isLoopback && parts.oneTime.redeem(oneTime ?? '');
  return isRedeemed ? ONE_TIME_PRINCIPAL : 'unknown';
}

/** Counts and audits a failed login. The name of the principal is unknown. */
async function failed(
  call: Call<unknown, Login>,
  { limits, authFailed, audit }: ManagementParts,
  reason: AuthFailure,
): Promise<void> {
  authFailed(reason === 'expired' ? 'expired' : 'login');
  await limits.loginFailed(call.address);
  await audit.refused(subjectOf(call, ''), new AuditDraft(null), 401);
}

async function endFormer(
  { header, transport }: Call,
  { sessions, sessionEnded }: ManagementParts,
): Promise<void> {
  const id = sessionIdOf({ headers: { cookie: header('cookie') } }, transport);
  const former = id === null ? null : await sessions.find(id);
  if (former === null) return;
  await sessions.end(former.hash);
  sessionEnded(former.hash);
}

const subjectOf = ({ address, requestId }: Call, principal: string) => ({
  action: 'session.login' as const,
  method: 'POST',
  principal,
  sessionHash: null,
  address,
  requestId,
});

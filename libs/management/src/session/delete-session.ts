import { ServiceError } from '@carillon/errors';
import { removedCookie } from '../auth/cookies.js';
import type { Call } from '../http/call.js';
import type { Reply } from '../http/reply.js';
import type { ManagementParts } from '../parts.js';

/** Deletes the record of the session before the answer, so that every process refuses the cookie immediately. */
export async function deleteSession({ session, transport }: Call, parts: ManagementParts): Promise<Reply> {
  if (session === null)
    throw new ServiceError('invalid_input', { text: 'the request has no session: it uses a bearer token' });
  await parts.sessions.end(session.hash);
  parts.sessionEnded(session.hash);
  return { status: 204, headers: { 'set-cookie': removedCookie(transport) } };
}

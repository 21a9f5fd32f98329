import { ERRORS, type ErrorCode } from '@carillon/errors';
import type { LeaveCause } from '@carillon/presence';

/** Close reason and code of a subscriber. */
export interface End {
  /** Close reason of the service; null: closed by the client or the network. */
  readonly endedFor: ErrorCode | null;
  /** Close code; 1006: without a close frame. 0: still open. */
  readonly closedWith: number;
}

/** Value in logs. */
export type EndCause =
  | 'client_close'
  | 'transport_eof'
  | 'activity_timeout'
  | 'auth_timeout'
  | 'administrative_close'
  | 'token_revoked'
  | 'slow_consumer'
  | 'server_shutdown'
  | 'fatal_error';

const NO_CLOSE_FRAME = 1006;
/** Close code of the native library for a message that is too large. */
const TOO_LARGE = 1009;

const CAUSES: Partial<Record<ErrorCode, EndCause>> = {
  pong_missing: 'activity_timeout',
  authentication_timeout: 'auth_timeout',
  disconnected_by_app: 'administrative_close',
  reconnect_requested: 'administrative_close',
  app_disabled: 'administrative_close',
  app_does_not_exist: 'administrative_close',
  token_revoked: 'token_revoked',
  over_capacity: 'slow_consumer',
  server_shutting_down: 'server_shutdown',
  cut_off: 'server_shutdown',
  presence_away: 'server_shutdown',
};

export function endCause({ endedFor, closedWith }: End): EndCause {
  if (endedFor !== null) return CAUSES[endedFor] ?? 'fatal_error';
  if (closedWith === TOO_LARGE) return 'fatal_error';
  return closedWith === NO_CLOSE_FRAME ? 'transport_eof' : 'client_close';
}

/**
 * Whether the user may reconnect, so that its membership lasts for the length of a lease: the network broke, or the
 * service closed with a code that asks to reconnect (4100–4299). A deliberate close ends the membership immediately.
 */
export function mayComeBack({ endedFor, closedWith }: End): boolean {
  if (endedFor === null) return closedWith === NO_CLOSE_FRAME;
  const code = ERRORS[endedFor].closeCode ?? 0;
  return code >= 4100 && code < 4300;
}

/** Whether this process sent the client to another node, where it will reconnect shortly. */
export const isSentElsewhere = ({ endedFor }: End): boolean =>
  endedFor === 'server_shutting_down' || endedFor === 'cut_off' || endedFor === 'presence_away';

/** Returns why a member left a presence channel. */
export function leaveCause(end: End): LeaveCause {
  const cause = endCause(end);
  if (cause === 'administrative_close' || cause === 'token_revoked') return 'forced_disconnect';
  // A shutdown does not count as a timeout, although the user may soon reconnect to another process.
  if (cause === 'server_shutdown') return 'left';
  return mayComeBack(end) ? 'connection_lost' : 'left';
}

import { networkReason } from '../api/request-errors.js';
import { CommandError, unreachable } from '../program/errors.js';
import { EXIT } from '../program/exit-codes.js';

/** Close codes that mean missing credentials or rights. */
const REFUSED_CLOSES: ReadonlySet<number> = new Set([4001, 4003, 4009]);

/** A connection that never was established, or that the service ended for good. */
export function connectionFailure(
  url: string,
  close: { readonly code: number; readonly message: string },
  socket: { readonly error: Error; readonly status: number | null } | null,
): CommandError {
  const status = socket?.status ?? null;
  if (REFUSED_CLOSES.has(close.code) || status === 401 || status === 403)
    return new CommandError(`the service refused the connection: ${close.message} (${close.code})`, {
      code: 'refused',
      status,
      exitCode: EXIT.refused,
      cure: 'check the app key, the token and whether the app is enabled',
    });
  if (close.code >= 4000 && close.code < 5000)
    return new CommandError(`the service closed the connection: ${close.message} (${close.code})`, {
      code: 'failed',
      exitCode: EXIT.failed,
    });
  const reason = status === null ? networkReason(socket?.error) : `HTTP ${status} instead of a WebSocket`;
  return unreachable(url, reason, socket?.error);
}

/** A refused subscription. */
export function subscriptionFailure(error: {
  readonly message: string;
  readonly status: number | null;
  readonly code: number;
  readonly channel: string | null;
}): CommandError {
  const isRefused = error.status === 401 || error.status === 403;
  return new CommandError(`channel "${error.channel ?? ''}" is refused: ${error.message} (${error.code})`, {
    code: isRefused ? 'refused' : 'failed',
    status: error.status,
    exitCode: isRefused ? EXIT.refused : EXIT.failed,
    ...(isRefused ? { cure: 'check the credentials of the app, or the operations of the token' } : {}),
  });
}

import { CommandError, commandErrorOf, unreachable, usageError } from '../program/errors.js';
import { EXIT } from '../program/exit-codes.js';

const NETWORK_REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was reset',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name cannot be resolved',
  ETIMEDOUT: 'the connection timed out',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'the network is unreachable',
  EPIPE: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate chain is self-signed',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate cannot be verified',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host name',
};

/** Why a request had no answer, from the causes of the error. */
export function networkReason(error: unknown): string {
  for (let one: unknown = error, depth = 0; one instanceof Error && depth < 8; one = one.cause, depth += 1) {
    const { code, errors } = one as NodeJS.ErrnoException & { readonly errors?: readonly unknown[] };
    const known = NETWORK_REASONS[code ?? ''];
    if (known !== undefined) return known;
    if (Array.isArray(errors) && errors.length > 0) return networkReason(errors[0]);
    if (code !== undefined && /^(ERR_SSL|ERR_TLS|EPROTO|UNABLE_TO|CERT_)/.test(code))
      return `TLS failed (${code})`;
  }
  return 'no answer';
}

const CURES: Readonly<Record<number, string>> = {
  401: 'check the app id, key and secret (--app, --key, --secret, or --app-url), and the clock of this machine',
  403: 'use credentials with the right, or enable the app with "carillon apps enable ID"',
};

/** A refusal of the service. */
export function refusal(text: string, code: string, status: number, cure?: string): CommandError {
  const isRefused = status === 401 || status === 403;
  const remedy = cure ?? CURES[status];
  return new CommandError(text, {
    code,
    status,
    exitCode: isRefused ? EXIT.refused : EXIT.failed,
    ...(remedy === undefined ? {} : { cure: remedy }),
  });
}

/** Members of an error of `@carillon/server`. */
interface Failed extends Error {
  readonly status: number | null;
  readonly code: string;
}

/** The error of a failed call of `@carillon/server`, with the words of this command. */
export function requestError(error: unknown, url: string): CommandError {
  if (!(error instanceof Error) || !('attempts' in error) || !('status' in error))
    return commandErrorOf(error);
  const { status, code } = error as Error as Failed;
  if (status !== null) return refusal(error.message, code, status);
  if (code === 'connection_failed') return unreachable(url, networkReason(error), error);
  if (code === 'timeout') return unreachable(url, 'no answer within --timeout', error);
  return usageError(error.message);
}

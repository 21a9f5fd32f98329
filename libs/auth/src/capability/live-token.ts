import type { Capabilities } from './capabilities.js';
import type { CapabilityToken } from './claims.js';
import type { Operation } from './operations.js';
import type { TokenVerdict } from './token.js';

/** Grace period of an open socket after its token expired, to send another one. */
export const EXPIRY_GRACE_MS = 30_000;

/**
 * Returns whether a socket may use a verified token, at connect and at refresh. One past its end, but within the clock
 * skew, is accepted: the socket is notified immediately that it expired and has the grace period to refresh it.
 * `identity`: the identity of the connection; null: it has none.
 */
export function admitToken(
  verdict: TokenVerdict,
  connection: { readonly identity: string | null },
): TokenVerdict {
  if (!verdict.ok) return verdict;
  if (connection.identity !== null && connection.identity !== verdict.token.clientId) {
    return { ok: false, reason: 'capability token is for another client' };
  }
  return verdict;
}

/** Remaining lifetime of a token; 0: expired. */
export function untilExpiryMs(token: Pick<CapabilityToken, 'expiresAt'>, nowMs: number): number {
  return Math.max(0, token.expiresAt * 1000 - nowMs);
}

/** A subscription with the operations it required: `subscribe`, and for some more. */
export interface HeldSubscription {
  /** The channel, or the text of a pattern. */
  readonly name: string;
  readonly needs: readonly Operation[];
}

/** Returns the subscriptions that new capabilities no longer allow. */
export function withdrawnSubscriptions(
  held: Iterable<HeldSubscription>,
  capabilities: Capabilities,
): readonly string[] {
  return [...held]
    .filter(({ name, needs }) => needs.some((operation) => !capabilities.allows(operation, name)))
    .map(({ name }) => name);
}

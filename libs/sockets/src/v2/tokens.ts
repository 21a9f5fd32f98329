import {
  type Identities,
  type Identity,
  type Leaving,
  type Outlet,
  type PatternBook,
  rulesOf,
} from '@carillon/realtime';
import type { Revocations } from '@carillon/api-operations';
import { frameError, type AuthFrame, type WireNames } from '@carillon/protocol';
import {
  admitToken,
  type CapabilityToken,
  type Operation,
  type SigningKey,
  type TokenVerdict,
  verifyCapabilityToken,
  withdrawnSubscriptions,
} from '@carillon/auth';
import type { Signin } from '../requests/signin.js';
import type { FreshApps } from '../requests/fresh-apps.js';
import { failure } from '../requests/subscribe-verdict.js';
import type { Connection } from '../connection/connection.js';
import { TokenEnds } from './token-ends.js';

/** Dependencies of {@link Tokens}. */
export interface TokensParts {
  readonly apps: FreshApps;
  readonly names: WireNames;
  readonly revocations: Revocations;
  readonly outlet: Outlet;
  readonly identities: Identities;
  readonly leaving: Leaving;
  readonly patterns: PatternBook;
  readonly signin: Pick<Signin, 'comeOnline'>;
  readonly onTrouble: (what: string, error: unknown) => void;
}

const CANNOT_BE_CHECKED = 'capability token cannot be checked now';
const REVOKED = 'capability token revoked';

/** Capability tokens on live connections: taken over, refreshed, ended. */
export class Tokens {
  readonly ends = new TokenEnds({
    expired: (connection) => this.parts.outlet.send(connection, { kind: 'token_expired' }),
    graceOver: (connection) => this.parts.outlet.close(connection, 'token_expired'),
  });

  constructor(private readonly parts: TokensParts) {}

  /** Whether a token admits a connection. Rejects if revocations cannot be read. */
  async check(
    token: string,
    about: { readonly appId: string; readonly key: SigningKey; readonly identity: string | null },
  ): Promise<TokenVerdict> {
    const verified = await this.#verified(token, about);
    const verdict = admitToken(verified, { identity: about.identity });
    if (!verdict.ok) return verdict;
    const isRevoked = await this.parts.revocations.isRevoked(about.appId, verdict.token);
    return isRevoked ? { ok: false, reason: REVOKED } : verdict;
  }

  /** Verifies a token. If no known secret matches, it retries with the app as currently stored. */
  async #verified(
    token: string,
    { appId, key }: { readonly appId: string; readonly key: SigningKey },
  ): Promise<TokenVerdict> {
    const { names, apps } = this.parts;
    const verify = (one: SigningKey): TokenVerdict =>
      verifyCapabilityToken(token, one, Math.floor(Date.now() / 1000), names.claims);
    const verified = verify(key);
    if (verified.ok || verified.isUnsigned !== true) return verified;
    const app = await apps.fresh(appId);
    return app === undefined || app === null ? verified : verify(rulesOf(app).key);
  }

  /** The connection, which is admitted, speaks by its token from now on. */
  begin(connection: Connection, token: CapabilityToken): void {
    void this.#take(connection, token).catch((error: unknown) => this.parts.onTrouble('token', error));
  }

  /** The promise never rejects. */
  async refresh(connection: Connection, { token }: AuthFrame): Promise<void> {
    const { appId, rules } = connection.hub;
    const { outlet, onTrouble } = this.parts;
    let verdict: TokenVerdict;
    try {
      verdict = await this.check(token, { appId, key: rules.key, identity: connection.userId });
    } catch (error) {
      onTrouble('token', error);
      verdict = { ok: false, reason: CANNOT_BE_CHECKED };
    }
    if (!connection.isOpen) return;
    if (!verdict.ok) return outlet.error(connection, frameError('auth_failed', { message: verdict.reason }));
    const { clientId, jti, expiresAt } = verdict.token;
    await this.#take(connection, verdict.token, () =>
      outlet.send(connection, { kind: 'token_taken', clientId, jti, expiresAt }),
    ).catch((error: unknown) => onTrouble('token', error));
  }

  /** The connection is out. */
  end(connection: Connection): void {
    this.ends.forget(connection);
  }

  /**
   * Assigns a token to a connection. A revocation is stored first and then looks for holders. Between check and
   * assignment it could miss this connection, so the token is checked again afterwards.
   */
  async #take(connection: Connection, token: CapabilityToken, taken: () => void = () => {}): Promise<void> {
    const { hub } = connection;
    const before = connection.identity;
    const identity: Identity = {
      userId: token.clientId,
      userInfoText: before?.userInfoText ?? '{}',
      metaText: before?.metaText ?? null,
      watchlist: before?.watchlist ?? [],
      capabilities: token.capabilities,
      isOnline: before?.isOnline ?? hub.rules.watchlists,
    };
    connection.token = token;
    hub.tokens.hold(connection, token);
    const attempt = this.parts.identities.signedIn(connection, identity);
    taken();
    this.ends.follow(connection, token.expiresAt);
    this.withdraw(connection);
    if (await this.parts.revocations.isRevoked(hub.appId, token)) {
      this.parts.outlet.close(connection, 'token_revoked', { kind: 'token_revoked' });
      return;
    }
    if (attempt !== undefined) await attempt;
    if (before === null && identity.isOnline && connection.isOpen) {
      await this.parts.signin.comeOnline(connection, identity, before);
    }
  }

  /** Ends the subscriptions that the connection's token does not permit, and notifies the client. */
  withdraw(connection: Connection): void {
    const { capabilities } = connection;
    const channels = [...connection.subscriptions].map(({ channel: { name, about } }) => {
      const needs: Operation[] = ['subscribe'];
      if (about.traits.members) needs.push('presence');
      if (connection.seesAnnotations(name)) needs.push('annotation-subscribe');
      return { name, needs };
    });
    const patterns = [...(connection.patterns?.keys() ?? [])].map((name) => ({
      name,
      needs: ['subscribe'] as const,
    }));
    const held = [...channels, ...patterns];
    for (const name of withdrawnSubscriptions(held, capabilities)) {
      const subscription = connection.subscriptions.get(name);
      connection.keep(name, null);
      if (subscription === undefined) this.parts.patterns.leave(connection, name);
      else void this.parts.leaving.channel(connection, subscription);
      const denied = failure('forbidden', 403, name, 'The capability token does not permit it any more');
      this.parts.outlet.send(connection, {
        kind: 'subscription_failed',
        channel: name,
        code: denied.error.code,
        message: denied.error.message,
        status: denied.status,
      });
    }
  }
}

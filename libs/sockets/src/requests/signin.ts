import type { Identities, Identity, Leaving, Outlet, Watchlists } from '@carillon/realtime';
import { ONLINE_USERS, type Presence } from '@carillon/presence';
import {
  frameError,
  MAX_USER_ID_BYTES,
  readUserData,
  type SigninFrame,
  type UserData,
} from '@carillon/protocol';
import { readSigninCapabilities, verifyUserAuth, type Capabilities } from '@carillon/auth';
import type { Connection } from '../connection/connection.js';
import type { SocketsParts } from '../parts.js';
import type { FreshApps } from './fresh-apps.js';

/** Dependencies of {@link Signin}. */
export interface SigninParts {
  readonly outlet: Outlet;
  readonly apps: FreshApps;
  readonly presence: Presence;
  readonly identities: Identities;
  readonly watchlists: Watchlists;
  readonly leaving: Leaving;
  readonly onTrouble: (what: string, error: unknown) => void;
}

const MAX_WATCHED = 100;
const UNSIGNED = 'Authentication error: invalid signature';

interface Proof {
  readonly user: UserData;
  readonly userData: string;
  readonly capabilities: Capabilities;
}

/** Handles sign-in: authenticates a connection as a user. */
export class Signin {
  constructor(private readonly parts: SigninParts) {}

  static of({ apps, hub, presence }: Pick<SocketsParts, 'apps' | 'hub' | 'presence'>): Signin {
    const { outlet, identities, state, leaving, onTrouble } = hub;
    return new Signin({
      apps,
      outlet,
      presence,
      identities,
      watchlists: state.watchlists,
      leaving,
      onTrouble,
    });
  }

  /** Returns undefined if it completed synchronously; the promise never rejects. */
  handle(connection: Connection, frame: SigninFrame): Promise<void> | undefined {
    const proof = signinProof(connection, frame);
    const fresh = proof === UNSIGNED ? this.parts.apps.fresh(connection.hub.appId) : undefined;
    return fresh === undefined ? this.#settle(connection, proof) : this.#proveAgain(connection, frame, fresh);
  }

  /** Checks once more when the store was read: the hub takes the credentials of a changed app. */
  async #proveAgain(connection: Connection, frame: SigninFrame, fresh: Promise<unknown>): Promise<void> {
    await fresh.catch((error: unknown) => this.parts.onTrouble('sign-in', error));
    if (connection.isOpen) await this.#settle(connection, signinProof(connection, frame));
  }

  #settle(connection: Connection, proof: Proof | string): Promise<void> | undefined {
    if (typeof proof !== 'string') return this.#signIn(connection, proof);
    this.parts.outlet.error(connection, frameError('auth_failed', { message: proof }));
    return undefined;
  }

  #signIn(connection: Connection, { user, userData, capabilities }: Proof): Promise<void> | undefined {
    const { outlet, identities, watchlists } = this.parts;
    const { watchlists: watching } = connection.hub.rules;
    const before = connection.identity;
    const tooMany = watching && user.watchlist.length > MAX_WATCHED;
    const identity: Identity = {
      userId: user.id,
      userInfoText: user.userInfoText,
      metaText: user.metaText,
      watchlist: watching && !tooMany ? user.watchlist : [],
      capabilities,
      isOnline: watching,
    };
    if (before !== null) watchlists.end(connection, before);
    const attempt = identities.signedIn(connection, identity);
    const succeed = (): Promise<void> | undefined => {
      outlet.send(connection, { kind: 'signed_in', userData });
      if (tooMany)
        outlet.error(connection, frameError('too_many_entries', { message: 'The watchlist is too long' }));
      return watching || before?.isOnline === true
        ? this.comeOnline(connection, identity, before)
        : undefined;
    };
    // If the connection closed in the meantime, it has left both as its previous and as its new identity.
    return attempt === undefined ? succeed() : attempt.then(() => succeed());
  }

  /**
   * Adds the connection to the app's online users if its identity is a user, and starts its watchlist. Never rejects.
   */
  async comeOnline(connection: Connection, identity: Identity, before: Identity | null): Promise<void> {
    const { presence, watchlists, leaving, onTrouble } = this.parts;
    const { userId } = identity;
    try {
      if (before !== null && before.isOnline && before.userId !== userId) {
        await leaving.member(connection, ONLINE_USERS, before.userId);
      }
      if (!identity.isOnline) return;
      const place = { appId: connection.hub.appId, channel: ONLINE_USERS, socketId: connection.id };
      await presence.join({ ...place, userId, userInfoText: '{}' }, Infinity);
      // It closed or changed its identity while going online.
      if (!connection.isOpen) return await leaving.member(connection, ONLINE_USERS, userId);
      await watchlists.begin(connection, identity);
    } catch (error) {
      onTrouble('sign-in', error);
    }
  }
}

/** Returns the proof of a sign-in, or the reason it is invalid. */
function signinProof(connection: Connection, { auth, userData }: SigninFrame): Proof | string {
  const { rules } = connection.hub;
  if (connection.token !== null) return 'The connection speaks by its capability token';
  if (!rules.signin) return 'User authentication is not enabled for this app';
  if (auth === null || userData === null) return 'Sign-in needs auth and user_data';
  if (!verifyUserAuth(rules.key, { socketId: connection.id, userData }, auth)) {
    return UNSIGNED;
  }
  const user = readUserData(userData);
  if (user === null) return `user_data must be JSON with an id of at most ${MAX_USER_ID_BYTES} bytes`;
  const read = readSigninCapabilities(user.capabilities);
  return read.ok ? { user, userData, capabilities: read.capabilities } : read.reason;
}

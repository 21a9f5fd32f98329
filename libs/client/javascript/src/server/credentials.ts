import { createHmac, randomUUID } from 'node:crypto';
import type { Authorization, UserAuthentication } from '../auth/authorizer.js';

/** The credentials of an app; the secret must never reach a browser. */
export interface Credentials {
  readonly appId: string;
  readonly key: string;
  readonly secret: string;
}

/** Someone in a presence channel. */
export interface PresenceMember {
  readonly user_id: string;
  readonly user_info?: unknown;
}

/** The user to sign in. */
export interface SignedInUser {
  readonly id: string;
  readonly user_info?: unknown;
  /** The users on its watchlist, whose online status it receives; at most 100. */
  readonly watchlist?: readonly string[];
  readonly capabilities?: Readonly<Record<string, readonly string[]>>;
}

/** The claims of a capability token. */
export interface TokenClaims {
  readonly clientId: string;
  /** Operations by channel or pattern. */
  readonly capability: Readonly<Record<string, readonly string[]>>;
  /** Default one hour, at most a day. */
  readonly lifeSeconds?: number;
  /** Absent: a new one. */
  readonly id?: string;
  /** The prefix of the service's event names, if it is configured to another than `service`. */
  readonly vendor?: string;
}

const hmac = (secret: string, text: string): string =>
  createHmac('sha256', secret).update(text).digest('hex');

/** Lets a connection into a private or presence channel; the member only for presence channels. */
export function authorizeChannel(
  { key, secret }: Credentials,
  socketId: string,
  channel: string,
  member?: PresenceMember,
): Authorization {
  if (member === undefined) return { auth: `${key}:${hmac(secret, `${socketId}:${channel}`)}` };
  const data = JSON.stringify(member);
  return { auth: `${key}:${hmac(secret, `${socketId}:${channel}:${data}`)}`, channel_data: data };
}

/** Signs a user in on a connection. */
export function authenticateUser(
  { key, secret }: Credentials,
  socketId: string,
  user: SignedInUser,
): UserAuthentication {
  const data = JSON.stringify(user);
  return { auth: `${key}:${hmac(secret, `${socketId}::user::${data}`)}`, user_data: data };
}

const segment = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A capability token. */
export function capabilityToken({ key, secret }: Credentials, claims: TokenClaims): string {
  const { clientId, capability, lifeSeconds = 3600, id = randomUUID(), vendor = 'service' } = claims;
  const iat = Math.floor(Date.now() / 1000);
  const payload = {
    [`x-${vendor}-client-id`]: clientId,
    [`x-${vendor}-capability`]: capability,
    iat,
    exp: iat + lifeSeconds,
    jti: id,
  };
  const signed = `${segment({ alg: 'HS256', typ: 'JWT', kid: key })}.${segment(payload)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

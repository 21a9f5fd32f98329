// The signatures a customer's own server makes, written anew from the specification: nothing of the service is used.
import { createHash, createHmac } from 'node:crypto';

/** Whoever holds a key and its secret. */
export interface Credentials {
  readonly key: string;
  readonly secret: string;
}

const hmac = (secret: string, message: string): string =>
  createHmac('sha256', secret).update(message).digest('hex');

/** What a signed request carries of its body. */
export const md5 = (body: string): string => createHash('md5').update(body).digest('hex');

/** The signature of a string to sign. */
export const signature = ({ secret }: Credentials, text: string): string => hmac(secret, text);

/** `auth` of a subscription; `channelData` only for presence channels, exactly as it will be sent. */
export const channelAuth = (
  { key, secret }: Credentials,
  socketId: string,
  channel: string,
  channelData?: string,
): string =>
  `${key}:${hmac(secret, [socketId, channel, ...(channelData === undefined ? [] : [channelData])].join(':'))}`;

/** `auth` of a sign-in, `userData` exactly as it will be sent. */
export const userAuth = ({ key, secret }: Credentials, socketId: string, userData: string): string =>
  `${key}:${hmac(secret, `${socketId}::user::${userData}`)}`;

/** The query of a signed request, with what it asks for besides. */
export function signedQuery(
  { key, secret }: Credentials,
  method: string,
  path: string,
  more: Readonly<Record<string, string>>,
  body?: string,
): string {
  const values: Record<string, string> = {
    ...more,
    auth_key: key,
    auth_timestamp: String(Math.floor(Date.now() / 1000)),
    auth_version: '1.0',
    ...(body === undefined ? {} : { body_md5: md5(body) }),
  };
  const names = Object.keys(values).sort();
  const signed = names.map((name) => `${name}=${values[name] ?? ''}`).join('&');
  const signature = hmac(secret, `${method}\n${path}\n${signed}`);
  const sent = names.map((name) => `${name}=${encodeURIComponent(values[name] ?? '')}`).join('&');
  return `${sent}&auth_signature=${signature}`;
}

const segment = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A capability token of the app, as its own server would make it. */
export function tokenFor(
  { key, secret }: Credentials,
  clientId: string,
  capability: Readonly<Record<string, readonly string[]>>,
  { lifeSeconds = 3600, id = `${clientId}-${Math.random()}`, vendor = 'service' } = {},
): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    [`x-${vendor}-client-id`]: clientId,
    [`x-${vendor}-capability`]: capability,
    iat: now,
    exp: now + lifeSeconds,
    jti: id,
  };
  const signed = `${segment({ alg: 'HS256', typ: 'JWT', kid: key })}.${segment(claims)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

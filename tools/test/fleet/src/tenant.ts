import { prepareSigningKey, signChannelAuth, signRequest } from '@carillon/auth';
import { type RawAnswer, rawHttp } from '@carillon/testing';

/** The id of the one app of a fleet. */
export const APP_ID = 'fleet';
const KEY = 'fleet-key-7f3c';
const SECRET = 'fleet-s3cr3t-for-tests-only';
const signingKey = prepareSigningKey({ appId: APP_ID, key: KEY, secret: SECRET });

/** The one app of a fleet as the configuration holds it. */
export const TENANT = {
  id: APP_ID,
  key: KEY,
  secret: SECRET,
  enabled: true,
  policy: { channels: { annotations_enabled: true } },
};

/** Where clients of the app connect. */
export const SOCKET_PATH = `/app/${KEY}?protocol=7`;

/** `auth` of a subscription. */
export const channelAuth = (socketId: string, channel: string, channelData?: string): string =>
  signChannelAuth(signingKey, { socketId, channel, channelData });

/** One signed call of the app's HTTP API; `path` is below the app. Rejects when there is no answer. */
export function call(
  port: number,
  method: 'GET' | 'POST',
  path: string,
  {
    query = {},
    body = '',
  }: { readonly query?: Readonly<Record<string, string>>; readonly body?: string } = {},
): Promise<RawAnswer> {
  const rawPath = `/apps/${APP_ID}${path}`;
  const signed = signRequest({ method, rawPath, query, body }, signingKey, Date.now() / 1000);
  return rawHttp(port, {
    method,
    path: `${rawPath}?${signed}`,
    ...(body === '' ? {} : { body, headers: { 'Content-Type': 'application/json' } }),
  });
}

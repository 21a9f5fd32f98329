import type { HmsCredential } from '../../credentials/credential.js';
import { isObject, type JsonObject } from '../../json.js';
import type { PushClient, SendRequest } from '../../port.js';
import type { ProviderSettings } from '../../settings.js';
import type { SendTarget } from '../../target.js';
import type { Protocol } from '../client/client.js';
import { type Network, providerBase, tokenAddress, trusted } from '../client/network.js';
import { openClient } from '../client/open.js';
import { fixedToken, OAuthTokens, tokenForm } from '../client/tokens.js';
import { secondsUntil } from '../client/verdict.js';
import type { WireRequest } from '../wire/exchange.js';
import { judgeHms } from './judge.js';

const PUBLIC = 'https://push-api.cloud.huawei.com';
const TOKENS = 'https://oauth-login.cloud.huawei.com/oauth2/v3/token';
const MAX_TTL_SECONDS = 1_296_000;

/** Huawei's push kit. */
export function openHms(credential: HmsCredential, settings: ProviderSettings, network: Network): PushClient {
  const { hmsAppId, access } = credential;
  const { endpoints, production } = settings;
  const tokenRequest = (clientSecret: string): WireRequest =>
    tokenForm(tokenAddress(TOKENS, endpoints.hms, production), {
      grant_type: 'client_credentials',
      client_id: hmsAppId,
      client_secret: clientSecret,
    });
  return openClient(trusted(network), (wire, stopped): Protocol => {
    const tokens =
      access.kind === 'token'
        ? fixedToken(access.token)
        : new OAuthTokens(wire, () => tokenRequest(access.clientSecret), stopped);
    return {
      provider: 'hms',
      tokens,
      request: (send, token) => request(send, token, hmsAppId, settings),
      judge: (reply, { target }, nowMs) => judgeHms(reply, tokenOf(target), nowMs),
    };
  });
}

function request(
  { target, payload, expiresAtMs }: SendRequest,
  token: string,
  hmsAppId: string,
  { endpoints, production }: ProviderSettings,
): WireRequest {
  const base = providerBase(endpoints.hms ?? PUBLIC, production);
  const whom = target.kind === 'audience' ? target.audience : { token: [tokenOf(target)] };
  const message = { ...withTtl(part(payload['message']), expiresAtMs), ...whom };
  return {
    url: new URL(`${base}/v1/${encodeURIComponent(hmsAppId)}/messages:send`),
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json; charset=UTF-8' },
    body: JSON.stringify({ ...payload, message }),
  };
}

const tokenOf = (target: SendTarget): string =>
  target.kind === 'recipient' && target.recipient.transportType === 'hms'
    ? target.recipient.registrationToken
    : '';

function withTtl(message: JsonObject, expiresAtMs: number | null): JsonObject {
  const android = part(message['android']);
  if (expiresAtMs === null || android['ttl'] !== undefined) return message;
  const ttl = `${secondsUntil(expiresAtMs, Date.now(), MAX_TTL_SECONDS)}s`;
  return { ...message, android: { ...android, ttl } };
}

const part = (value: unknown): JsonObject => (isObject(value) ? value : {});

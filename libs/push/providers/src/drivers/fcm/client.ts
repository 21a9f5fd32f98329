import type { FcmCredential } from '../../credentials/credential.js';
import { isObject, type JsonObject } from '../../json.js';
import type { PushClient, SendRequest } from '../../port.js';
import type { ProviderSettings } from '../../settings.js';
import type { SendTarget } from '../../target.js';
import type { Protocol } from '../client/client.js';
import { signedToken, signingKey } from '../client/jwt.js';
import { type Network, providerBase, tokenAddress, trusted } from '../client/network.js';
import { openClient } from '../client/open.js';
import { Refusal } from '../client/refusal.js';
import { fixedToken, OAuthTokens, tokenForm, type Tokens } from '../client/tokens.js';
import { authFailure, secondsUntil } from '../client/verdict.js';
import type { WireRequest } from '../wire/exchange.js';
import type { Wire } from '../wire/wire.js';
import { DefaultCredentials } from './default-credentials.js';
import { judgeFcm } from './judge.js';

const PUBLIC = 'https://fcm.googleapis.com';
const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const TOKEN_LIFETIME_SECONDS = 3_600;
const MAX_TTL_SECONDS = 2_419_200;

/** FCM HTTP v1. */
export function openFcm(credential: FcmCredential, settings: ProviderSettings, network: Network): PushClient {
  return openClient(trusted(network), (wire, stopped): Protocol => {
    const { access, projectId } = credential;
    const tokens = tokensOf(access, settings, wire, stopped);
    const project = (): string | null =>
      settings.fcmProjectId ?? projectId ?? (tokens instanceof DefaultCredentials ? tokens.project : null);
    return {
      provider: 'fcm',
      tokens,
      request: (send, token) => request(send, token, project(), settings),
      judge: (reply, _, nowMs) => judgeFcm(reply, nowMs),
    };
  });
}

function tokensOf(
  access: FcmCredential['access'],
  settings: ProviderSettings,
  wire: Wire,
  stopped: AbortSignal,
): Tokens {
  if (access.kind === 'token') return fixedToken(access.token);
  if (access.kind === 'applicationDefault') return new DefaultCredentials();
  return accountTokens(access, settings, wire, stopped);
}

function request(
  { target, payload, expiresAtMs }: SendRequest,
  token: string,
  project: string | null,
  { endpoints, production }: ProviderSettings,
): WireRequest {
  if (project === null) throw new Refusal(authFailure('no_project'));
  const base = providerBase(endpoints.fcm ?? PUBLIC, production);
  const message = { ...withTtl(part(payload['message']), expiresAtMs), ...whom(target) };
  return {
    url: new URL(`${base}/v1/projects/${encodeURIComponent(project)}/messages:send`),
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...payload, message }),
  };
}

function whom(target: SendTarget): JsonObject {
  if (target.kind === 'audience') return { ...target.audience };
  const { recipient } = target;
  return { token: recipient.transportType === 'gcm' ? recipient.registrationToken : '' };
}

function withTtl(message: JsonObject, expiresAtMs: number | null): JsonObject {
  const android = part(message['android']);
  if (expiresAtMs === null || android['ttl'] !== undefined) return message;
  const ttl = `${secondsUntil(expiresAtMs, Date.now(), MAX_TTL_SECONDS)}s`;
  return { ...message, android: { ...android, ttl } };
}

const part = (value: unknown): JsonObject => (isObject(value) ? value : {});

type Account = Extract<FcmCredential['access'], { kind: 'serviceAccount' }>;

/** The service account signs an assertion and receives a token for an hour. */
function accountTokens(
  account: Account,
  { endpoints, production }: ProviderSettings,
  wire: Wire,
  stopped: AbortSignal,
): Tokens {
  const assertion = (): string => {
    const key = signingKey(account.privateKey, 'rsa');
    const iat = Math.floor(Date.now() / 1_000);
    const header = {
      alg: 'RS256',
      typ: 'JWT',
      ...(account.privateKeyId !== null && { kid: account.privateKeyId }),
    } as const;
    const claims = {
      iss: account.clientEmail,
      scope: SCOPE,
      aud: account.tokenUri,
      iat,
      exp: iat + TOKEN_LIFETIME_SECONDS,
    };
    return signedToken(header, claims, key);
  };
  const request = (): WireRequest =>
    tokenForm(tokenAddress(account.tokenUri, endpoints.fcm, production), {
      grant_type: GRANT,
      assertion: assertion(),
    });
  return new OAuthTokens(wire, request, stopped);
}

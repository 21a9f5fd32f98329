import type { ApnsCredential } from '../../credentials/credential.js';
import type { JsonObject } from '../../json.js';
import type { PushClient, SendRequest } from '../../port.js';
import { apnsBody, headersOf } from '../../rendering/bodies.js';
import { apnsCollapseId } from '../../rendering/collapse.js';
import type { ProviderSettings } from '../../settings.js';
import { rejected } from '../../outcome.js';
import { type Network, providerBase, trusted } from '../client/network.js';
import { openClient } from '../client/open.js';
import { Refusal } from '../client/refusal.js';
import { fixedToken, type Tokens } from '../client/tokens.js';
import { invalidToken } from '../client/verdict.js';
import type { WireOptions, WireRequest } from '../wire/exchange.js';
import { judgeApns } from './judge.js';
import { ProviderTokens } from './provider-tokens.js';

const PUBLIC = {
  production: 'https://api.push.apple.com',
  sandbox: 'https://api.sandbox.push.apple.com',
};

/** Suffix of the bundle id in the topic, by push type. */
const TOPIC_SUFFIX: Readonly<Record<string, string>> = {
  voip: '.voip',
  complication: '.complication',
  fileprovider: '.pushkit.fileprovider',
  location: '.location-query',
  liveactivity: '.push-type.liveactivity',
  pushtotalk: '.voip-ptt',
};

/** APNs over HTTP/2. */
export function openApns(
  credential: ApnsCredential,
  settings: ProviderSettings,
  network: Network,
): PushClient {
  const { access, topic, environment } = credential;
  const identified: WireOptions = { ...trusted(network), identity: identityOf(access), longLived: true };
  return openClient(identified, () => ({
    provider: 'apns',
    tokens: tokensOf(access),
    request: (send, token) =>
      request(send, token, {
        base: providerBase(settings.endpoints.apns ?? PUBLIC[environment], settings.production),
        topic: topic ?? settings.apnsTopic,
      }),
    judge: (reply, _, nowMs) => judgeApns(reply, nowMs),
  }));
}

type Access = ApnsCredential['access'];

function tokensOf(access: Access): Tokens {
  if (access.kind === 'key') return new ProviderTokens(access);
  // A certificate speaks for itself.
  return fixedToken(access.kind === 'token' ? access.token : '');
}

/** Base64 and base64url alike are read by `Buffer`. */
function identityOf(access: Access): WireOptions['identity'] {
  if (access.kind === 'pem') return { cert: access.pem, key: access.pem };
  if (access.kind === 'p12') return { pfx: Buffer.from(access.p12, 'base64'), passphrase: access.password };
  return undefined;
}

interface Place {
  readonly base: string;
  /** Null: neither credential nor settings know one. */
  readonly topic: string | null;
}

function request(
  { target, payload, deliveryKey, expiresAtMs }: SendRequest,
  token: string,
  place: Place,
): WireRequest {
  if (target.kind !== 'recipient' || target.recipient.transportType !== 'apns') {
    throw new Refusal(invalidToken('BadDeviceToken'));
  }
  const headers = headersOf(payload);
  const type = text(headers, 'apns-push-type') ?? 'alert';
  const collapseId = text(headers, 'apns-collapse-id');
  const expiration =
    text(headers, 'apns-expiration') ??
    (expiresAtMs === null ? null : String(Math.floor(expiresAtMs / 1_000)));
  const priority = text(headers, 'apns-priority');
  return {
    url: new URL(`${place.base}/3/device/${encodeURIComponent(target.recipient.deviceToken)}`),
    headers: {
      ...(token !== '' && { authorization: `bearer ${token}` }),
      'apns-topic': topicOf(text(headers, 'apns-topic') ?? place.topic, type),
      'apns-push-type': type,
      'apns-id': uuidOf(deliveryKey),
      ...(priority !== null && { 'apns-priority': priority }),
      ...(collapseId !== null && { 'apns-collapse-id': apnsCollapseId(collapseId) }),
      ...(expiration !== null && { 'apns-expiration': expiration }),
      'content-type': 'application/json',
    },
    body: JSON.stringify(apnsBody(payload)),
  };
}

function topicOf(topic: string | null, type: string): string {
  if (topic === null) throw new Refusal(rejected('apns_topic_mismatch', 'credential_auth', 'MissingTopic'));
  const suffix = TOPIC_SUFFIX[type] ?? '';
  return topic.endsWith(suffix) ? topic : topic + suffix;
}

/** The same delivery has the same id at every attempt. */
const uuidOf = (deliveryKey: string): string =>
  deliveryKey.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

function text(headers: JsonObject, name: string): string | null {
  const value = headers[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}

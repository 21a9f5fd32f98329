import type { WebPushCredential } from '../../credentials/credential.js';
import { checkDeviceUrl } from '../../device-url.js';
import type { PushClient, SendRequest } from '../../port.js';
import { headersOf, webPushBody } from '../../rendering/bodies.js';
import type { ProviderSettings } from '../../settings.js';
import { guarded, type Network } from '../client/network.js';
import { openClient } from '../client/open.js';
import { Refusal } from '../client/refusal.js';
import { fixedToken } from '../client/tokens.js';
import { invalidToken, secondsUntil } from '../client/verdict.js';
import type { WireRequest } from '../wire/exchange.js';
import { encrypted } from './encrypt.js';
import { judgeWebPush } from './judge.js';
import { Vapid } from './vapid.js';

const MOST_TTL_SECONDS = 2_419_200;

/** Web Push to whatever service a subscription names. */
export function openWebPush(
  credential: WebPushCredential,
  settings: ProviderSettings,
  network: Network,
): PushClient {
  const vapid = new Vapid(credential, settings.vapidContact);
  return openClient(guarded(network, settings), () => ({
    provider: 'webpush',
    // What proves the sender is made for each service.
    tokens: fixedToken(''),
    request: (send) => request(send, vapid, settings),
    judge: (reply, _, nowMs) => judgeWebPush(reply, nowMs),
  }));
}

function request(
  { target, payload, expiresAtMs }: SendRequest,
  vapid: Vapid,
  { deviceUrls }: ProviderSettings,
): WireRequest {
  if (target.kind !== 'recipient' || target.recipient.transportType !== 'web') {
    throw new Refusal(invalidToken('no_subscription'));
  }
  const { endpoint, p256dh, auth } = target.recipient;
  const url = checkDeviceUrl(endpoint, 'web', deviceUrls);
  const { ttl = MOST_TTL_SECONDS, urgency, topic } = headersOf(payload);
  // What renders a notification writes the longest time, which its expiry shortens like that of an override.
  const most = Math.min(Number(ttl), MOST_TTL_SECONDS);
  return {
    url,
    headers: {
      authorization: vapid.authorization(url),
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
      ttl: String(expiresAtMs === null ? most : secondsUntil(expiresAtMs, Date.now(), most)),
      ...(typeof urgency === 'string' && { urgency }),
      ...(typeof topic === 'string' && { topic }),
    },
    body: encrypted(JSON.stringify(webPushBody(payload)), p256dh, auth),
  };
}

import webPush from 'web-push';
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
import { judgeWebPush } from './judge.js';
import { Vapid } from './vapid.js';

const MAX_TTL_SECONDS = 2_419_200;
const KEY_TEXT = /^[A-Za-z0-9_-]+={0,2}$/;

/** Web Push to the service of each subscription. */
export function openWebPush(
  credential: WebPushCredential,
  settings: ProviderSettings,
  network: Network,
): PushClient {
  const vapid = new Vapid(credential, settings.vapidContact);
  return openClient(guarded(network, settings), () => ({
    provider: 'webpush',
    // The VAPID header is created per service.
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
  if (!KEY_TEXT.test(p256dh) || !KEY_TEXT.test(auth)) throw badKeys();
  const authorization = vapid.authorization(url);
  const { ttl = MAX_TTL_SECONDS, urgency, topic } = headersOf(payload);
  // Rendering writes the longest TTL, which the expiry shortens as it does for overrides.
  const most = Math.min(Number(ttl), MAX_TTL_SECONDS);
  const TTL = expiresAtMs === null ? most : secondsUntil(expiresAtMs, Date.now(), most);
  const own = {
    authorization,
    ...(typeof urgency === 'string' && { urgency }),
    ...(typeof topic === 'string' && { topic }),
  };
  // The library treats paths of some push services specially; of the URL it needs the origin only.
  const subscription = { endpoint: url.origin, keys: { p256dh, auth } };
  try {
    const plaintext = JSON.stringify(webPushBody(payload));
    const { headers, body } = webPush.generateRequestDetails(subscription, plaintext, { TTL });
    return { url, headers: { ...lowerCased(headers), ...own }, body };
  } catch {
    throw badKeys();
  }
}

const badKeys = (): Refusal => new Refusal(invalidToken('bad_keys'));

/** Names as HTTP/2 requires them, values as text: `TTL` is a number. */
const lowerCased = (headers: Readonly<Record<string, string | number>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));

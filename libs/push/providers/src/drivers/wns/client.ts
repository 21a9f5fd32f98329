import type { WnsCredential } from '../../credentials/credential.js';
import { checkDeviceUrl } from '../../device-url.js';
import type { JsonObject } from '../../json.js';
import type { PushClient, SendRequest } from '../../port.js';
import { wnsBody } from '../../rendering/bodies.js';
import type { ProviderSettings } from '../../settings.js';
import { ProtocolClient, type Protocol } from '../client/client.js';
import { guarded, type Network, providerBase, trusted } from '../client/network.js';
import { Refusal } from '../client/refusal.js';
import { fixedToken, OAuthTokens, tokenForm, type Tokens } from '../client/tokens.js';
import { invalidToken, secondsUntil } from '../client/verdict.js';
import type { WireRequest } from '../wire/exchange.js';
import { Wire } from '../wire/wire.js';
import { judgeWns } from './judge.js';

const LIVE_TOKENS = 'https://login.live.com/accesstoken.srf';
const DIRECTORY = 'https://login.microsoftonline.com';
const MAX_TTL_SECONDS = 31_536_000;

/** Windows notifications. Two wires: that to the token service is not for addresses that devices named. */
export function openWns(credential: WnsCredential, settings: ProviderSettings, network: Network): PushClient {
  const stop = new AbortController();
  const tokenWire = new Wire(trusted(network));
  stop.signal.addEventListener('abort', () => tokenWire.close(), { once: true });
  const protocol: Protocol = {
    provider: 'wns',
    tokens: tokensOf(credential, settings, tokenWire, stop.signal),
    request: (send, token) => request(send, token, settings),
    judge: (reply, _, nowMs) => judgeWns(reply, nowMs),
  };
  return new ProtocolClient(protocol, new Wire(guarded(network, settings)), stop);
}

function tokensOf(
  { access, tenantId }: WnsCredential,
  { endpoints, production }: ProviderSettings,
  wire: Wire,
  stopped: AbortSignal,
): Tokens {
  if (access.kind === 'token') return fixedToken(access.token);
  const [address, scope] =
    tenantId === null
      ? [LIVE_TOKENS, 'notify.windows.com']
      : [
          `${DIRECTORY}/${encodeURIComponent(tenantId)}/oauth2/v2.0/token`,
          'https://wns.windows.com/.default',
        ];
  const { packageSid, clientSecret } = access;
  const fields = {
    grant_type: 'client_credentials',
    client_id: packageSid,
    client_secret: clientSecret,
    scope,
  };
  // The endpoint of the settings is the token service itself.
  const ask = (): WireRequest =>
    tokenForm(new URL(providerBase(endpoints.wns ?? address, production)), fields);
  return new OAuthTokens(wire, ask, stopped);
}

function request(
  { target, payload, expiresAtMs }: SendRequest,
  token: string,
  { deviceUrls }: ProviderSettings,
): WireRequest {
  if (target.kind !== 'recipient' || target.recipient.transportType !== 'wns') {
    throw new Refusal(invalidToken('no_channel'));
  }
  const { type, tag } = payload;
  return {
    url: checkDeviceUrl(target.recipient.channelUri, 'wns', deviceUrls),
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': type === 'raw' ? 'application/octet-stream' : 'text/xml',
      'x-wns-type': `wns/${wnsType(payload)}`,
      'x-wns-requestforstatus': 'true',
      ...(typeof tag === 'string' && { 'x-wns-tag': tag }),
      ...(expiresAtMs !== null && {
        'x-wns-ttl': String(secondsUntil(expiresAtMs, Date.now(), MAX_TTL_SECONDS)),
      }),
    },
    body: wnsBody(payload),
  };
}

const wnsType = ({ type }: JsonObject): string => (typeof type === 'string' ? type : 'toast');

import type { Config } from '@carillon/config';
import type { CloudCredential } from './credentials/credential.js';
import { INTERNET, type Network } from './drivers/client/network.js';
import { DRY_RUN } from './drivers/dry-run.js';
import { ChannelClient } from './drivers/channel-client.js';
import { type ChannelDelivery, ProviderUnavailable, type PushClient, type PushProviders } from './port.js';
import { TracedClient } from './traced-client.js';
import { type ProviderSettings, providerSettings } from './settings.js';

const NO_CHANNELS: ChannelDelivery = {
  deliver: async () => {
    throw new ProviderUnavailable('realtime');
  },
};

/** Opens the providers of `push`: the real ones, or in a dry run none outside the service. */
export function openProviders(
  config: Config,
  channels: ChannelDelivery = NO_CHANNELS,
  network: Network = INTERNET,
): PushProviders {
  const settings = providerSettings(config);
  return {
    open: async (credential) => {
      if (credential.provider === 'realtime') return new ChannelClient(credential.appId, channels);
      if (config.push.dry_run) return DRY_RUN.open(credential);
      return new TracedClient(await openProvider(credential, settings, network));
    },
  };
}

/** Opens the client of one provider; its library is loaded at the first use. Makes no connection. */
export async function openProvider(
  credential: CloudCredential,
  settings: ProviderSettings,
  network: Network = INTERNET,
): Promise<PushClient> {
  switch (credential.provider) {
    case 'fcm':
      return (await import('./drivers/fcm/client.js')).openFcm(credential, settings, network);
    case 'apns':
      return (await import('./drivers/apns/client.js')).openApns(credential, settings, network);
    case 'webpush':
      return (await import('./drivers/webpush/client.js')).openWebPush(credential, settings, network);
    case 'hms':
      return (await import('./drivers/hms/client.js')).openHms(credential, settings, network);
    case 'wns':
      break;
  }
  return (await import('./drivers/wns/client.js')).openWns(credential, settings, network);
}

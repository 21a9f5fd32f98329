import type { Config } from '@carillon/config';
import type { Credential } from './credentials/credential.js';
import { DRY_RUN } from './drivers/dry-run.js';
import { type PushClient, type PushProviders, ProviderUnavailable } from './port.js';
import type { Provider } from './provider.js';
import { type ProviderSettings, providerSettings } from './settings.js';

/** Makes the client of one provider; called with that provider's credentials only. Connects to nobody. */
export type OpenClient = (credential: Credential, settings: ProviderSettings) => Promise<PushClient>;

/** One line a provider; its library is loaded when a client of it is first opened. */
const CLIENTS: ReadonlyMap<Provider, OpenClient> = new Map<Provider, OpenClient>([]);

/** The providers of `push`: the real ones, or in a dry run nobody. */
export function openProviders(config: Config): PushProviders {
  if (config.push.dry_run) return DRY_RUN;
  const settings = providerSettings(config);
  return {
    async open(credential) {
      const open = CLIENTS.get(credential.provider);
      if (open === undefined) throw new ProviderUnavailable(credential.provider);
      return open(credential, settings);
    },
  };
}

import { readFileSync } from 'node:fs';
import { type Config, isProduction } from '@carillon/config';
import {
  type Cloud,
  type Credential,
  credentialOf,
  InvalidCredential,
  isCloud,
  type Provider,
  type PushClient,
  serviceAccount,
  vapidPublicKey,
  withLineBreaks,
} from '@carillon/push-providers';
import { CannotOpen, type StoredCredential } from '@carillon/push-store';
import type { PushParts } from '../parts.js';

/** A credential with its identity in breakers and metrics. */
export interface ResolvedCredential {
  /** The app it belongs to; of the settings: the app it is used for. */
  readonly tenant: string;
  readonly credentialId: string;
  /** Changes whenever the credential does. */
  readonly version: string;
  readonly credential: Credential;
}

/** Fields of a stored credential, sealed one by one. */
export const sealPlace = (
  {
    appId,
    credentialId,
    provider,
    version,
  }: Pick<StoredCredential, 'appId' | 'credentialId' | 'provider' | 'version'>,
  field: string,
): readonly (string | number)[] => [appId, credentialId, provider, version, field];

const KEPT_MS = 5000;
const MAX_CLIENTS = 1000;

interface Kept {
  readonly untilMs: number;
  readonly found: Promise<ResolvedCredential | null>;
}

interface OpenClient {
  readonly version: string;
  readonly client: Promise<PushClient>;
  readonly labels: { readonly provider: Provider; readonly tenant: string };
  /** Null: it is being opened. */
  opened: PushClient | null;
}

/** Usage of the clients of one provider and owner. */
export interface ClientUsage {
  readonly labels: { readonly provider: Provider; readonly tenant: string };
  readonly connections: number;
  readonly streams: number;
}

/**
 * Resolves the credential of an app for a provider: its own, the one named by the settings, or one in the settings.
 * Results are cached for 5 s; a client whose credential changed finishes its work and is closed.
 */
export class Credentials {
  readonly #kept = new Map<string, Kept>();
  readonly #clients = new Map<string, OpenClient>();
  /** Providers whose fixed token was warned of. */
  readonly #warned = new Set<Provider>();

  constructor(private readonly parts: PushParts) {}

  /** Null: no usable credential. */
  async resolve(appId: string, provider: Provider): Promise<ResolvedCredential | null> {
    const name = JSON.stringify([appId, provider]);
    const kept = this.#kept.get(name);
    const nowMs = this.parts.now();
    if (kept !== undefined && kept.untilMs > nowMs) return kept.found;
    if (this.#kept.size >= MAX_CLIENTS) this.#kept.clear();
    const found = this.#find(appId, provider);
    this.#kept.set(name, { untilMs: nowMs + KEPT_MS, found });
    found.catch(() => this.#kept.delete(name));
    return found;
  }

  /** Returns the client of a credential, shared by all users. */
  async client({ tenant, credentialId, version, credential }: ResolvedCredential): Promise<PushClient> {
    const name = JSON.stringify([tenant, credential.provider, credentialId]);
    const open = this.#clients.get(name);
    if (open?.version === version) return open.client;
    if (this.#clients.size >= MAX_CLIENTS) await this.close();
    const client = this.parts.providers.open(credential);
    const labels = { provider: credential.provider, tenant };
    const now: OpenClient = { version, client, labels, opened: null };
    this.#clients.set(name, now);
    client.then(
      (opened) => void (now.opened = opened),
      () => this.#clients.delete(name),
    );
    await open?.client.then((old) => old.close()).catch(() => undefined);
    return client;
  }

  usage(): ClientUsage[] {
    const sums = new Map<string, ClientUsage>();
    for (const { labels, opened } of this.#clients.values()) {
      const name = JSON.stringify(labels);
      const { connections = 0, streams = 0 } = sums.get(name) ?? {};
      const usage = opened?.usage ?? { connections: 0, streams: 0 };
      sums.set(name, {
        labels,
        connections: connections + usage.connections,
        streams: streams + usage.streams,
      });
    }
    return [...sums.values()];
  }

  async close(): Promise<void> {
    const clients = [...this.#clients.values()];
    this.#clients.clear();
    await Promise.allSettled(clients.map(async ({ client }) => (await client).close()));
  }

  async #find(appId: string, provider: Provider): Promise<ResolvedCredential | null> {
    if (!isCloud(provider)) return ofChannels(appId);
    const { store, config } = this.parts;
    const own = (await store.credential(appId, provider)) ?? (await store.latestCredential(appId, provider));
    const usable = own !== null && own.provider === provider ? this.#open(own) : null;
    if (own !== null) return usable;
    const [shared, sharedId] = pointer(config, provider);
    const stored = shared === null ? null : await store.credential(shared, sharedId);
    if (stored !== null && stored.provider === provider) return this.#open(stored);
    const credential = this.#ofSettings(provider);
    if (credential === null) return config.push.dry_run ? dryRun(appId, provider) : null;
    return { tenant: appId, credentialId: 'settings', version: 'settings', credential };
  }

  /** Null: none, or its file is unreadable or invalid. */
  #ofSettings(provider: Cloud): Credential | null {
    const { config, log } = this.parts;
    try {
      const credential = ofSettings(config, provider);
      this.#warnOfToken(credential);
      return credential;
    } catch (error) {
      log.error('push credentials are not ready', { provider, credential_id: 'settings', error });
      return null;
    }
  }

  #warnOfToken(credential: Credential | null): void {
    if (credential === null || !('access' in credential) || credential.access.kind !== 'token') return;
    const { provider } = credential;
    if (this.#warned.has(provider)) return;
    this.#warned.add(provider);
    this.parts.log.warn('a push provider is used with a fixed token, which nobody renews', { provider });
  }

  /** Null: cannot be decrypted, or invalid. */
  #open(stored: StoredCredential): ResolvedCredential | null {
    const { secrets, log } = this.parts;
    const { appId, credentialId, version, provider } = stored;
    try {
      const secret = Object.fromEntries(
        Object.entries(stored.sealedFields).map(([field, envelope]) => {
          if (secrets.sealer === null) throw new CannotOpen('there is no master key');
          return [field, secrets.sealer.open(envelope, sealPlace(stored, field))];
        }),
      );
      const credential = credentialOf(provider as Cloud, { open: stored.openFields, secret });
      return { tenant: appId, credentialId, version: `${version}:${stored.updatedMs}`, credential };
    } catch (error) {
      if (!(error instanceof CannotOpen) && !(error instanceof InvalidCredential)) throw error;
      log.error('push credentials are not ready', {
        app_id: appId,
        provider,
        credential_id: credentialId,
        error,
      });
      return null;
    }
  }
}

function pointer({ push }: Config, provider: Cloud): [string | null, string] {
  const app = provider === 'hms' ? push.hms.credential_app_id : push[provider].app_id;
  return [app, push[`${provider}_credential_ref`] ?? push[provider].credential_id];
}

const ofChannels = (appId: string): ResolvedCredential => ({
  tenant: appId,
  credentialId: 'channels',
  version: 'channels',
  credential: { provider: 'realtime', appId },
});

const dryRun = (appId: string, provider: Cloud): ResolvedCredential => ({
  tenant: appId,
  credentialId: 'dry-run',
  version: 'dry-run',
  credential: { provider: 'hms', hmsAppId: provider, access: { kind: 'token', token: '' } },
});

/** The credential that the settings hold; null: none, or not enough of one. */
function ofSettings(config: Config, provider: Cloud): Credential | null {
  return SETTINGS[provider](config.push, isProduction(config));
}

type Push = Config['push'];

const SETTINGS: Readonly<Record<Cloud, (push: Push, production: boolean) => Credential | null>> = {
  fcm({ fcm }, production) {
    const inline = fcm.service_account_json?.reveal() ?? null;
    if (inline === null && fcm.application_default) {
      return { provider: 'fcm', projectId: fcm.project_id, access: { kind: 'applicationDefault' } };
    }
    const json = inline ?? fileOf(fcm.service_account_json_path);
    if (json !== null) {
      const { projectId, ...account } = serviceAccount(json, { kind: 'operator', production });
      return {
        provider: 'fcm',
        projectId: fcm.project_id ?? projectId,
        access: { kind: 'serviceAccount', ...account },
      };
    }
    const access = tokenOf(fcm.provider_token);
    return access === null ? null : { provider: 'fcm', projectId: fcm.project_id, access };
  },
  apns({ apns }) {
    const key = apns.private_key?.reveal() ?? fileOf(apns.private_key_path);
    const common = { provider: 'apns', topic: apns.topic, environment: 'production' } as const;
    if (key !== null && apns.team_id !== null && apns.key_id !== null) {
      const { team_id: teamId, key_id: keyId } = apns;
      return { ...common, access: { kind: 'key', teamId, keyId, privateKey: withLineBreaks(key) } };
    }
    const access = tokenOf(apns.provider_token);
    return access === null ? null : { ...common, access };
  },
  webpush({ webpush }) {
    const privateKey = webpush.vapid_private_key?.reveal() ?? null;
    const publicKey = privateKey === null ? null : vapidPublicKey(privateKey);
    if (privateKey === null || publicKey === null) return null;
    const subject = webpush.vapid_contact;
    return { provider: 'webpush', publicKey: publicKey.toString('base64url'), privateKey, subject };
  },
  hms({ hms }) {
    const access = tokenOf(hms.provider_token);
    return access === null || hms.app_id === null ? null : { provider: 'hms', hmsAppId: hms.app_id, access };
  },
  wns({ wns }) {
    const access = tokenOf(wns.provider_token);
    return access === null ? null : { provider: 'wns', tenantId: null, access };
  },
};

const tokenOf = (token: Push['fcm']['provider_token']) =>
  token === null ? null : ({ kind: 'token', token: token.reveal() } as const);

const fileOf = (path: string | null): string | null => (path === null ? null : readFileSync(path, 'utf8'));

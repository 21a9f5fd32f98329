import { type Config, isProduction } from '@carillon/config';
import { ServiceError } from '@carillon/errors';
import { type Cloud, isCloud, type Provider, providerOf } from '@carillon/push-providers';
import { type PushStore, PushStoreUnavailable } from '@carillon/push-store';
import type { PushParts } from '../parts.js';
import { Credentials } from '../pipeline/credentials.js';
import { enabledProviders } from '../stages.js';
import type { Target } from './targets.js';

const KEPT_MS = 5000;

/** Live workers: stages, and providers with usable credentials. */
export interface Workers {
  readonly stages: ReadonlySet<string>;
  readonly providers: ReadonlySet<string>;
  /** Providers whose credential the settings have, here or where it is sent. */
  readonly credentials: ReadonlySet<string>;
}

/** Whether accepted publishes would be processed; refreshed every 5 s. */
export class Readiness {
  readonly #credentials: Credentials;
  #kept: { readonly untilMs: number; readonly workers: Promise<Workers> } | null = null;

  constructor(
    private readonly parts: PushParts,
    private readonly own: Workers,
  ) {
    this.#credentials = new Credentials(parts);
  }

  /** @throws ServiceError `service_unavailable` */
  async check(appId: string, targets: readonly Target[], regime: 'fastPath' | 'shardPath'): Promise<void> {
    const { config, queue, store } = this.parts;
    const { push } = config;
    if (
      isProduction(config) &&
      !push.allow_memory_drivers &&
      !(store.durable && queue.capabilities.durable)
    ) {
      throw unavailable('memory drivers are not allowed in production');
    }
    const enabled = enabledProviders(config);
    const { stages, providers, credentials } = await this.#workers();
    if (enabled.length === 0) throw unavailable('push providers are disabled');
    if (!stages.has('planner')) throw unavailable('no planner worker');
    if (!stages.has('feedback')) throw unavailable('no feedback worker');
    if (regime === 'shardPath' && !stages.has('shard')) throw unavailable('no shard worker');
    const active = new Set<string>(enabled.filter((one) => providers.has(one)));
    if (active.size === 0) throw unavailable('no provider is active');
    for (const provider of rawProviders(targets)) {
      if (!active.has(provider)) throw unavailable(`${provider} is not active`);
      if (!(await this.#hasCredential(appId, provider, credentials)))
        throw unavailable(`${provider} credentials are not ready`);
    }
    await queue.health().catch((cause: unknown) => {
      throw unavailable('the queue is not healthy', cause);
    });
  }

  async #hasCredential(
    appId: string,
    provider: Provider,
    configured: Workers['credentials'],
  ): Promise<boolean> {
    const { config, store } = this.parts;
    if (config.push.dry_run || !isCloud(provider)) return true;
    // One that cannot be opened is as good as none.
    if ((await store.latestCredential(appId, provider)) !== null)
      return (await this.#credentials.resolve(appId, provider)) !== null;
    return configured.has(provider);
  }

  #workers(): Promise<Workers> {
    const nowMs = this.parts.now();
    if (this.#kept !== null && this.#kept.untilMs > nowMs) return this.#kept.workers;
    const workers = findWorkers(this.parts.store, this.own, nowMs);
    this.#kept = { untilMs: nowMs + KEPT_MS, workers };
    workers.catch(() => {
      this.#kept = null;
    });
    return workers;
  }
}

async function findWorkers(store: PushStore, own: Workers, nowMs: number): Promise<Workers> {
  const rows = await store.workers(nowMs).catch((cause: unknown) => {
    throw cause instanceof PushStoreUnavailable ? unavailable('the store cannot be asked', cause) : cause;
  });
  return {
    stages: new Set([...own.stages, ...rows.flatMap(({ stages }) => stages)]),
    providers: new Set([...own.providers, ...rows.flatMap(({ providers }) => providers)]),
    credentials: new Set([...own.credentials, ...rows.flatMap(({ credentials }) => credentials)]),
  };
}

/** Targets that only one provider can reach. */
function rawProviders(targets: readonly Target[]): Set<Provider> {
  const found = targets.map((target) =>
    target.type === 'recipient'
      ? providerOf(target.recipient)
      : target.type === 'audience'
        ? target.provider
        : null,
  );
  return new Set(found.filter((provider) => provider !== null));
}

/** Whether the settings have a credential; files may exist on the dispatchers only. */
export function isConfigured({ push }: Config, provider: Cloud): boolean {
  const app = provider === 'hms' ? push.hms.credential_app_id : push[provider].app_id;
  const own = provider === 'webpush' ? push.webpush.vapid_private_key : push[provider].provider_token;
  const files =
    provider === 'fcm' ? (push.fcm.service_account_json ?? push.fcm.service_account_json_path) : null;
  const keys = provider === 'apns' ? (push.apns.private_key ?? push.apns.private_key_path) : null;
  return [app, own, files, keys].some((one) => one !== null);
}

const unavailable = (text: string, cause?: unknown): ServiceError =>
  new ServiceError('service_unavailable', { text: `push admission unavailable: ${text}`, cause });

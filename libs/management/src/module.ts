import { APP_REGISTRY } from '@carillon/app-registry';
import { CACHE } from '@carillon/cache';
import type { Config } from '@carillon/config';
import { DATABASES, DatabaseModule } from '@carillon/database';
import { FLEET, FleetModule } from '@carillon/fleet-state';
import { OPERATIONS } from '@carillon/api-operations';
import { PUSH_OPERATIONS } from '@carillon/push-core';
import { PUSH_QUEUE, QUEUE } from '@carillon/queue';
import { RATE_LIMIT } from '@carillon/rate-limit';
import {
  optional,
  pause,
  provider,
  RELOADS,
  type Reloads,
  RUNTIME,
  serverOptions,
  sharesPorts,
  SHUTDOWN,
  type Shutdown,
  token,
} from '@carillon/runtime';
import { UwsHttpAdapter, UwsServer } from '@carillon/uws';
import { type DynamicModule, Inject, Module, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ManagementServer } from './server.js';

const SERVER = token<ManagementServer>('management server');
const SETTING = token<Config>('configuration of the management API');
const PART = 'management API';
const PATH = '/manage';
const POLL_MS = 10;

const server = (config: Config) =>
  provider(
    SERVER,
    {
      ...RUNTIME,
      apps: APP_REGISTRY,
      cache: CACHE,
      fleet: FLEET,
      rateLimit: RATE_LIMIT,
      databases: DATABASES,
      operations: OPERATIONS,
      push: optional(PUSH_OPERATIONS),
      queue: optional(QUEUE),
      pushQueue: optional(PUSH_QUEUE),
    },
    ({ logging, config: _config, ...parts }) =>
      new ManagementServer({
        ...parts,
        config,
        log: logging.for('service::management'),
        auditLog: logging.unfiltered('service::management'),
      }),
  );

/**
 * The management API on the main listener or its own. Needs `RuntimeModule` and the modules of the app registry, the
 * cache and the rate limiter.
 */
@Module({ imports: [DatabaseModule] })
export class ManagementModule implements OnModuleInit {
  constructor(
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(SERVER) private readonly management: ManagementServer,
    @Inject(SHUTDOWN) private readonly shutdown: Shutdown,
    @Inject(RELOADS) private readonly reloads: Reloads,
    @Inject(SETTING) private readonly config: Config,
  ) {}

  /** Modules of an app: none while the API is not enabled. */
  static of(config: Config): DynamicModule[] {
    if (!config.management.enabled) return [];
    return [
      { module: FleetModule },
      { module: ManagementModule, providers: [server(config), { provide: SETTING, useValue: config }] },
    ];
  }

  /** Rejects if the own listener cannot be opened, which ends the start. */
  async onModuleInit(): Promise<void> {
    const { management, shutdown } = this;
    this.reloads.onReload('management', (config) => management.reconfigure(config));
    shutdown.onShutdown('drain', PART, () => management.stop());
    const { port } = this.config.management;
    if (port === null) {
      const { httpAdapter } = this.host;
      if (!(httpAdapter instanceof UwsHttpAdapter))
        throw new Error('the management API needs the adapter of uws');
      httpAdapter.endpointTree(PATH, management.endpoint);
    } else await this.#listen(port);
    management.started(port ?? this.config.port);
  }

  async #listen(port: number): Promise<void> {
    const { config, shutdown } = this;
    const listener = new UwsServer(serverOptions(config));
    const adapter = new UwsHttpAdapter(listener, {
      trustHops: config.rate_limiter.api_rate_limit.trust_hops,
    });
    adapter.endpointTree(PATH, this.management.endpoint);
    adapter.fastRoute('GET', '/live', (_request, response) =>
      response.end('OK', 'text/plain; charset=utf-8'),
    );
    await listener.listen({ host: config.management.host, port, exclusive: !sharesPorts() });
    shutdown.onShutdown('flush', PART, async ({ signal }) => {
      while (adapter.inFlight() > 0 && !signal.aborted) await pause(POLL_MS, signal);
    });
    shutdown.onShutdown('disconnect', PART, () => listener.close());
  }
}

import { APP_REGISTRY, type AppRegistry } from '@carillon/app-registry';
import { CACHE, type Cache } from '@carillon/cache';
import type { Config } from '@carillon/config';
import { OPERATIONS, type Operations } from '@carillon/operations';
import { PUSH_OPERATIONS, type PushOperations } from '@carillon/push';
import { RATE_LIMIT, type RateLimit } from '@carillon/rate-limit';
import {
  ADMISSION,
  type Admission,
  HEALTH,
  type Health,
  HISTORY_HEALTH_SOURCE,
  type HistoryHealthSource,
  LOGGING,
  type Logging,
  METRICS_REGISTRY,
  type Metrics,
  NO_HISTORY,
  NO_SOCKETS,
  OCCUPANCY_SOURCE,
  type OccupancySource,
  pause,
  PROCESS_STATE,
  type ProcessState,
  RELOADS,
  type Reloads,
  serverOptions,
  serviceVersion,
  SHUTDOWN,
  type Shutdown,
  sharesPorts,
  Statistics,
} from '@carillon/runtime';
import { UwsHttpAdapter, UwsServer } from '@carillon/uws';
import { type DynamicModule, Inject, Module, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { McpServer } from './server.js';

const SERVER = Symbol('tool protocol');
const SETTING = Symbol('configuration of the tool protocol');
const PART = 'tool protocol';
const POLL_MS = 10;

const server = (config: Config) => ({
  provide: SERVER,
  inject: [
    APP_REGISTRY,
    OPERATIONS,
    CACHE,
    RATE_LIMIT,
    METRICS_REGISTRY,
    LOGGING,
    PROCESS_STATE,
    HEALTH,
    ADMISSION,
    { token: OCCUPANCY_SOURCE, optional: true },
    { token: HISTORY_HEALTH_SOURCE, optional: true },
    { token: PUSH_OPERATIONS, optional: true },
  ],
  useFactory: (
    apps: AppRegistry,
    operations: Operations,
    cache: Cache,
    rateLimit: RateLimit,
    metrics: Metrics,
    logging: Logging,
    process: ProcessState,
    health: Health,
    admission: Admission,
    occupancy?: OccupancySource,
    history?: HistoryHealthSource,
    push?: PushOperations,
  ): McpServer =>
    new McpServer({
      config,
      apps,
      operations,
      ...(push === undefined ? {} : { push }),
      cache,
      rateLimit,
      metrics,
      process,
      health,
      admission,
      statistics: new Statistics(config.server_role, occupancy ?? NO_SOCKETS, history ?? NO_HISTORY),
      log: logging.for('service::mcp'),
      auditLog: logging.unfiltered('service::mcp::audit'),
      version: serviceVersion(),
    }),
});

/**
 * The endpoint of the tool protocol, on the main listener or its own. Needs `RuntimeModule` and the modules of the app
 * registry, the cache, the rate limiter and the operations.
 */
@Module({})
export class McpModule implements OnModuleInit {
  constructor(
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(SERVER) private readonly mcp: McpServer,
    @Inject(SHUTDOWN) private readonly shutdown: Shutdown,
    @Inject(RELOADS) private readonly reloads: Reloads,
    @Inject(SETTING) private readonly config: Config,
  ) {}

  /** What an app puts among its modules: nothing while the endpoint is not enabled. */
  static where(config: Config): DynamicModule[] {
    if (!config.mcp.enabled) return [];
    const providers = [server(config), { provide: SETTING, useValue: config }];
    return [{ module: McpModule, providers }];
  }

  /** An own listener that cannot be had ends the start. */
  async onModuleInit(): Promise<void> {
    const { path, port } = this.config.mcp;
    this.shutdown.onShutdown('drain', PART, () => this.mcp.drain());
    this.reloads.onReload('mcp', (config) => this.mcp.reconfigure(config));
    if (port !== null) return this.#listen(path, port);
    const { httpAdapter } = this.host;
    if (!(httpAdapter instanceof UwsHttpAdapter))
      throw new Error('the tool protocol needs the adapter of uws');
    httpAdapter.endpoint(path, this.mcp.endpoint);
  }

  /** Nothing but the path exists there. */
  async #listen(path: string, port: number): Promise<void> {
    const { config, shutdown } = this;
    const listener = new UwsServer(serverOptions(config));
    const adapter = new UwsHttpAdapter(listener, {
      trustHops: config.rate_limiter.api_rate_limit.trust_hops,
    });
    adapter.gate = ({ rawPath }) =>
      rawPath === path || rawPath === `${path}/` ? null : { status: 404, body: 'Not Found' };
    adapter.endpoint(path, this.mcp.endpoint);
    await listener.listen({ host: config.mcp.host, port, exclusive: !sharesPorts() });
    shutdown.onShutdown('flush', PART, async ({ signal }) => {
      while (adapter.inFlight() > 0 && !signal.aborted) await pause(POLL_MS, signal);
    });
    shutdown.onShutdown('disconnect', PART, () => listener.close());
  }
}

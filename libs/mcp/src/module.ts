import { APP_REGISTRY } from '@carillon/app-registry';
import { CACHE } from '@carillon/cache';
import type { Config } from '@carillon/config';
import { OPERATIONS } from '@carillon/api-operations';
import { PUSH_OPERATIONS } from '@carillon/push-core';
import { RATE_LIMIT } from '@carillon/rate-limit';
import {
  HISTORY_HEALTH_SOURCE,
  NO_HISTORY,
  NO_SOCKETS,
  OCCUPANCY_SOURCE,
  optional,
  pause,
  provider,
  RELOADS,
  type Reloads,
  RUNTIME,
  serverOptions,
  serviceVersion,
  sharesPorts,
  SHUTDOWN,
  type Shutdown,
  Statistics,
  token,
} from '@carillon/runtime';
import { UwsHttpAdapter, UwsServer } from '@carillon/uws';
import { type DynamicModule, Inject, Module, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { McpServer } from './server.js';

const SERVER = token<McpServer>('tool protocol');
const SETTING = token<Config>('configuration of the tool protocol');
const PART = 'tool protocol';
const POLL_MS = 10;

const server = (config: Config) =>
  provider(
    SERVER,
    {
      ...RUNTIME,
      apps: APP_REGISTRY,
      operations: OPERATIONS,
      cache: CACHE,
      rateLimit: RATE_LIMIT,
      occupancy: optional(OCCUPANCY_SOURCE),
      history: optional(HISTORY_HEALTH_SOURCE),
      push: optional(PUSH_OPERATIONS),
    },
    ({ occupancy = NO_SOCKETS, history = NO_HISTORY, push, logging, ...parts }) =>
      new McpServer({
        ...parts,
        config,
        ...(push === undefined ? {} : { push }),
        statistics: new Statistics(config.server_role, occupancy, history),
        log: logging.for('service::mcp'),
        auditLog: logging.unfiltered('service::mcp::audit'),
        version: serviceVersion(),
      }),
  );

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

  /** Modules of an app; empty while the endpoint is disabled. */
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

import { APP_REGISTRY, type AppRegistry } from '@carillon/app-registry';
import { CACHE, type Cache } from '@carillon/cache';
import type { Config } from '@carillon/config';
import { FABRIC, type Fabric } from '@carillon/fabric';
import {
  HISTORY_READER,
  type HistoryReader,
  PRESENCE_HISTORY_READER,
  type PresenceHistoryReader,
} from '@carillon/history';
import type { HistoryAccess } from './history/durable-channel.js';
import { PRESENCE, type Presence } from '@carillon/presence';
import {
  COMMITS,
  type Commits,
  LAST_EVENTS,
  PUBLISHER,
  type LastEvents,
  type BatchPublisher,
} from '@carillon/publishing';
import { RATE_LIMIT, type RateLimit } from '@carillon/rate-limit';
import { LOGGING, METRICS_REGISTRY, type Logging, type Metrics } from '@carillon/runtime';
import { UwsHttpAdapter } from '@carillon/uws';
import { Inject, Module, type DynamicModule, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { mountHttpApi, type HttpApiParts, type LiveParts } from './routes.js';

const PARTS = Symbol('http api parts');
const LIVE = Symbol('live parts of the http api');

/** Role `api` has no sockets to tell about, and neither the rooms that would. */
const noLiveParts = { provide: LIVE, useValue: null };

const liveParts = {
  provide: LIVE,
  inject: [PRESENCE, LAST_EVENTS],
  useFactory: (presence: Presence, lastEvents: LastEvents): LiveParts => ({ presence, lastEvents }),
};

/** Null: something of it is missing in this process. */
const accessOf = (
  reader?: HistoryReader,
  presence?: PresenceHistoryReader,
  commits?: Commits,
): HistoryAccess | null =>
  reader === undefined || presence === undefined || commits === undefined
    ? null
    : { reader, presence, commits };

/**
 * The signed HTTP API on the main listener. Needs `RuntimeModule` and the modules of the app registry, the cache, the
 * rate limiter, the fabric and publishing; in role `default` that of presence too. In role `api` the routes about
 * live sockets do not exist.
 */
@Module({})
export class HttpApiModule implements OnModuleInit {
  constructor(
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(PARTS) private readonly parts: HttpApiParts,
  ) {}

  static forMainListener(config: Config): DynamicModule {
    const parts = {
      provide: PARTS,
      inject: [
        APP_REGISTRY,
        PUBLISHER,
        CACHE,
        FABRIC,
        RATE_LIMIT,
        METRICS_REGISTRY,
        LOGGING,
        LIVE,
        { token: HISTORY_READER, optional: true },
        { token: PRESENCE_HISTORY_READER, optional: true },
        { token: COMMITS, optional: true },
      ],
      useFactory: (
        apps: AppRegistry,
        publisher: BatchPublisher,
        cache: Cache,
        fabric: Fabric,
        rateLimit: RateLimit,
        metrics: Metrics,
        logging: Logging,
        live: LiveParts | null,
        reader?: HistoryReader,
        presenceReader?: PresenceHistoryReader,
        commits?: Commits,
      ): HttpApiParts => ({
        config,
        apps,
        publisher,
        cache,
        fabric,
        rateLimit,
        metrics,
        log: logging.for('service::api'),
        live,
        history: accessOf(reader, presenceReader, commits),
      }),
    };
    const live = config.server_role === 'api' ? noLiveParts : liveParts;
    return { module: HttpApiModule, providers: [live, parts] };
  }

  /** Fast routes are not Nest's: they exist as soon as the modules do, and the gate keeps them shut until the start is over. */
  onModuleInit(): void {
    const { httpAdapter } = this.host;
    if (!(httpAdapter instanceof UwsHttpAdapter)) throw new Error('the HTTP API needs the adapter of uws');
    mountHttpApi(httpAdapter, this.parts);
  }
}

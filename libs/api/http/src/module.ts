import { APP_REGISTRY } from '@carillon/app-registry';
import { CACHE } from '@carillon/cache';
import type { Config } from '@carillon/config';
import { OPERATIONS } from '@carillon/api-operations';
import { RATE_LIMIT } from '@carillon/rate-limit';
import { provider, RUNTIME, token } from '@carillon/runtime';
import { UwsHttpAdapter } from '@carillon/uws';
import { Inject, Module, type DynamicModule, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { mountHttpApi, type HttpApiParts } from './mount.js';

const PARTS = token<HttpApiParts>('http api parts');

/**
 * The signed HTTP API on the main listener. Needs `RuntimeModule` and the modules of the app registry, the rate limiter
 * and the operations.
 */
@Module({})
export class HttpApiModule implements OnModuleInit {
  constructor(
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(PARTS) private readonly parts: HttpApiParts,
  ) {}

  static forMainListener(config: Config): DynamicModule {
    const parts = provider(
      PARTS,
      { ...RUNTIME, apps: APP_REGISTRY, cache: CACHE, operations: OPERATIONS, rateLimit: RATE_LIMIT },
      ({ logging, ...wanted }) => ({ ...wanted, config, log: logging.for('service::api') }),
    );
    return { module: HttpApiModule, providers: [parts] };
  }

  /** Fast routes are not Nest's: they exist as soon as the modules do, and the gate keeps them shut until the start is over. */
  onModuleInit(): void {
    const { httpAdapter } = this.host;
    if (!(httpAdapter instanceof UwsHttpAdapter)) throw new Error('the HTTP API needs the adapter of uws');
    mountHttpApi(httpAdapter, this.parts);
  }
}

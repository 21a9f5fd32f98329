import { APP_REGISTRY, type AppRegistry } from '@carillon/app-registry';
import { PUSH_OPERATIONS, type PushOperations } from '@carillon/push';
import { LOGGING, type Logging, type Metrics, METRICS_REGISTRY } from '@carillon/runtime';
import { UwsHttpAdapter } from '@carillon/uws';
import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { mountPushApi, type PushApiParts } from './mount.js';

const PARTS = Symbol('push api parts');

/** The routes of push on the main listener. Needs `RuntimeModule` and the modules of the app registry and of push. */
@Module({
  providers: [
    {
      provide: PARTS,
      inject: [APP_REGISTRY, PUSH_OPERATIONS, METRICS_REGISTRY, LOGGING],
      useFactory: (
        apps: AppRegistry,
        push: PushOperations,
        metrics: Metrics,
        logging: Logging,
      ): PushApiParts => ({
        apps,
        push,
        metrics,
        log: logging.for('service::push'),
      }),
    },
  ],
})
export class PushApiModule implements OnModuleInit {
  constructor(
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(PARTS) private readonly parts: PushApiParts,
  ) {}

  onModuleInit(): void {
    const { httpAdapter } = this.host;
    if (!(httpAdapter instanceof UwsHttpAdapter)) throw new Error('the push API needs the adapter of uws');
    mountPushApi(httpAdapter, this.parts);
  }
}

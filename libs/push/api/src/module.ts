import { APP_REGISTRY } from '@carillon/app-registry';
import { PUSH_OPERATIONS } from '@carillon/push-core';
import { provider, RUNTIME, token } from '@carillon/runtime';
import { UwsHttpAdapter } from '@carillon/uws';
import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { mountPushApi, type PushApiParts } from './mount.js';

const PARTS = token<PushApiParts>('push api parts');

/** The routes of push on the main listener. Needs `RuntimeModule` and the modules of the app registry and of push. */
@Module({
  providers: [
    provider(
      PARTS,
      { ...RUNTIME, apps: APP_REGISTRY, push: PUSH_OPERATIONS },
      ({ apps, push, metrics, logging }) => ({ apps, push, metrics, log: logging.for('service::push') }),
    ),
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

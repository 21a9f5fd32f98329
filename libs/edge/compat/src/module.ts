import { CACHE, type Cache } from '@carillon/cache';
import { COMPAT_CORE, type CompatCore, CompatCoreModule } from '@carillon/compat-core';
import type { Config } from '@carillon/config';
import { HISTORY_READER, type HistoryReader } from '@carillon/history';
import { HUB, type Hub, HubModule } from '@carillon/hub';
import { PRESENCE, type Presence } from '@carillon/presence';
import {
  ADMISSION,
  LOGGING,
  METRICS_REGISTRY,
  SHUTDOWN,
  type Admission,
  type Logging,
  type Metrics,
  type Shutdown,
} from '@carillon/runtime';
import { UwsHttpAdapter } from '@carillon/uws';
import { WEBHOOK_EVENTS, type WebhookEvents } from '@carillon/webhooks';
import { type DynamicModule, Inject, Module, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Continuity } from './continuity.js';
import { Realtime } from './realtime.js';

const REALTIME = Symbol('compat realtime');

/** The realtime route for Ably clients, where it is enabled. Needs the modules of the rooms it injects. */
@Module({})
export class CompatModule implements OnModuleInit {
  constructor(
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(REALTIME) private readonly realtime: Realtime,
  ) {}

  /** No module at all where the facade is switched off. */
  static of(config: Config): readonly DynamicModule[] {
    if (!config.compat.enabled) return [];
    const realtime = {
      provide: REALTIME,
      inject: [
        COMPAT_CORE,
        HUB,
        PRESENCE,
        CACHE,
        ADMISSION,
        WEBHOOK_EVENTS,
        METRICS_REGISTRY,
        LOGGING,
        SHUTDOWN,
        { token: HISTORY_READER, optional: true },
      ],
      useFactory: (
        core: CompatCore,
        hub: Hub,
        presence: Presence,
        cache: Cache,
        admission: Admission,
        webhooks: WebhookEvents,
        metrics: Metrics,
        logging: Logging,
        shutdown: Shutdown,
        reader?: HistoryReader,
      ): Realtime => {
        const continuity = new Continuity(
          hub.replays,
          reader ?? null,
          config.history.max_page_size,
          core.counters,
        );
        const log = logging.for('service::compat');
        const made = new Realtime({
          config,
          core,
          hub,
          presence,
          cache,
          admission,
          webhooks,
          continuity,
          metrics,
          log,
        });
        shutdown.onShutdown('leave', 'compat', () => made.stop());
        return made;
      },
    };
    return [{ module: CompatModule, imports: [HubModule, CompatCoreModule], providers: [realtime] }];
  }

  onModuleInit(): void {
    const { httpAdapter } = this.host;
    if (!(httpAdapter instanceof UwsHttpAdapter)) throw new Error('the compat edge needs the adapter of uws');
    httpAdapter.socketRoute('/', this.realtime, true);
  }
}

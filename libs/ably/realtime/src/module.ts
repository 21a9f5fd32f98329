import { CACHE } from '@carillon/cache';
import { COMPAT_CORE, CompatCoreModule } from '@carillon/ably-core';
import type { Config } from '@carillon/config';
import { HISTORY_READER, MESSAGE_READER } from '@carillon/history-reader';
import { HUB, HubModule } from '@carillon/realtime';
import { PRESENCE } from '@carillon/presence';
import { RATE_LIMIT } from '@carillon/rate-limit';
import { optional, provider, RUNTIME, token } from '@carillon/runtime';
import { UwsHttpAdapter } from '@carillon/uws';
import { WEBHOOK_EVENTS } from '@carillon/webhooks';
import { type DynamicModule, Inject, Module, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Continuity } from './continuity.js';
import { type HttpTransportParts, mountHttpTransports } from './http/mount.js';
import { REALTIME, RealtimeGateway } from './realtime.gateway.js';
import { Realtime } from './realtime.js';
import { Summaries } from './summaries.js';

const HTTP_PARTS = token<HttpTransportParts>('compat http transports');

/** The realtime route for Ably clients, where it is enabled. Needs the modules of the rooms it injects. */
@Module({})
export class CompatModule implements OnModuleInit {
  constructor(
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(HTTP_PARTS) private readonly parts: HttpTransportParts,
    private readonly gateway: RealtimeGateway,
  ) {}

  /** No module at all where the facade is switched off. */
  static of(config: Config): readonly DynamicModule[] {
    if (!config.compat.enabled) return [];
    const realtime = provider(
      REALTIME,
      {
        ...RUNTIME,
        core: COMPAT_CORE,
        hub: HUB,
        presence: PRESENCE,
        cache: CACHE,
        rateLimit: RATE_LIMIT,
        webhooks: WEBHOOK_EVENTS,
        reader: optional(HISTORY_READER),
        messages: optional(MESSAGE_READER),
      },
      ({ reader, messages, logging, shutdown, ...parts }) => {
        const { core, hub } = parts;
        const pageSize = config.history.max_page_size;
        const made = new Realtime({
          ...parts,
          config,
          continuity: new Continuity(
            hub.replays,
            reader ?? null,
            pageSize,
            core.counters,
            new Summaries(messages ?? null),
          ),
          log: logging.for('service::compat'),
        });
        shutdown.onShutdown('leave', 'compat', () => made.stop());
        return made;
      },
    );
    const http = provider(
      HTTP_PARTS,
      { ...RUNTIME, core: COMPAT_CORE, realtime: REALTIME },
      ({ core, realtime: made, logging }) => ({
        config,
        core,
        realtime: made,
        log: logging.for('service::compat'),
      }),
    );
    const imports = [HubModule, CompatCoreModule];
    return [{ module: CompatModule, imports, providers: [realtime, http, RealtimeGateway] }];
  }

  onModuleInit(): void {
    const { httpAdapter } = this.host;
    if (!(httpAdapter instanceof UwsHttpAdapter))
      throw new Error('the Ably transports need the adapter of uws');
    mountHttpTransports(httpAdapter, this.parts, this.gateway.handle);
  }
}

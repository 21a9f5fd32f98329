import { CACHE } from '@carillon/cache';
import { COMPAT_CORE, CompatCoreModule } from '@carillon/ably-core';
import type { Config } from '@carillon/config';
import { HISTORY_READER, MESSAGE_READER } from '@carillon/history-reader';
import { HUB, HubModule } from '@carillon/realtime';
import { PRESENCE } from '@carillon/presence';
import { RATE_LIMIT } from '@carillon/rate-limit';
import { optional, provider, RUNTIME } from '@carillon/runtime';
import { WEBHOOK_EVENTS } from '@carillon/webhooks';
import { type DynamicModule, Module } from '@nestjs/common';
import { Continuity } from './continuity.js';
import { REALTIME, RealtimeGateway } from './realtime.gateway.js';
import { Realtime } from './realtime.js';
import { Summaries } from './summaries.js';

/** The realtime route for Ably clients, where it is enabled. Needs the modules of the rooms it injects. */
@Module({})
export class CompatModule {
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
    const imports = [HubModule, CompatCoreModule];
    return [{ module: CompatModule, imports, providers: [realtime, RealtimeGateway] }];
  }
}

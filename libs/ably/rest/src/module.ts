import { COMPAT_CORE, CompatCoreModule } from '@carillon/ably-core';
import type { Config } from '@carillon/config';
import { BROKER } from '@carillon/broker';
import { HISTORY_READER, MESSAGE_READER, PRESENCE_HISTORY_READER } from '@carillon/history-reader';
import { AppRate, OPERATIONS } from '@carillon/api-operations';
import { PRESENCE } from '@carillon/presence';
import { PUSH_CHANNELS, PUSH_OPERATIONS } from '@carillon/push-core';
import { RATE_LIMIT } from '@carillon/rate-limit';
import { optional, provider, RUNTIME, token } from '@carillon/runtime';
import { UwsHttpAdapter } from '@carillon/uws';
import { type DynamicModule, Inject, Module, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ChannelPushes } from './push/channel-pushes.js';
import type { CompatApiParts } from './handlers.js';
import { mountCompatApi } from './mount.js';

const PARTS = token<CompatApiParts>('compat api parts');

/** The REST routes for Ably clients, where they are enabled. Needs the modules of the rooms it injects. */
@Module({})
export class CompatApiModule implements OnModuleInit {
  constructor(
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(PARTS) private readonly parts: CompatApiParts,
  ) {}

  /** No module at all where the facade is switched off, so that none of its routes exists. */
  static of(config: Config): readonly DynamicModule[] {
    if (!config.compat.enabled) return [];
    const parts = provider(
      PARTS,
      {
        ...RUNTIME,
        core: COMPAT_CORE,
        rateLimit: RATE_LIMIT,
        broker: BROKER,
        operations: OPERATIONS,
        history: optional(HISTORY_READER),
        messages: optional(MESSAGE_READER),
        presenceHistory: optional(PRESENCE_HISTORY_READER),
        push: optional(PUSH_OPERATIONS),
        presence: optional(PRESENCE),
        pushChannels: optional(PUSH_CHANNELS),
      },
      ({ core, broker, operations, rateLimit, metrics, logging, pushChannels, ...kept }) => {
        pushChannels?.use(new ChannelPushes(core));
        return {
          config,
          core,
          rate: new AppRate(rateLimit, metrics),
          broker,
          operations,
          history: kept.history ?? null,
          messages: kept.messages ?? null,
          presenceHistory: kept.presenceHistory ?? null,
          presence: config.server_role === 'api' ? null : (kept.presence ?? null),
          push: kept.push ?? null,
          log: logging.for('service::compat'),
        };
      },
    );
    return [{ module: CompatApiModule, imports: [CompatCoreModule], providers: [parts] }];
  }

  onModuleInit(): void {
    const { httpAdapter } = this.host;
    if (!(httpAdapter instanceof UwsHttpAdapter)) throw new Error('the compat API needs the adapter of uws');
    mountCompatApi(httpAdapter, this.parts);
  }
}

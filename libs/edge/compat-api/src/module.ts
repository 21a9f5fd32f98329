import { COMPAT_CORE, type CompatCore, CompatCoreModule } from '@carillon/compat-core';
import type { Config } from '@carillon/config';
import { FABRIC, type Fabric } from '@carillon/fabric';
import {
  HISTORY_READER,
  type HistoryReader,
  MESSAGE_READER,
  type MessageReader,
  PRESENCE_HISTORY_READER,
  type PresenceHistoryReader,
} from '@carillon/history';
import { AppRate, OPERATIONS, type Operations } from '@carillon/operations';
import { PRESENCE, type Presence } from '@carillon/presence';
import { PUSH_CHANNELS, PUSH_OPERATIONS, type PushChannels, type PushOperations } from '@carillon/push';
import { RATE_LIMIT, type RateLimit } from '@carillon/rate-limit';
import { LOGGING, METRICS_REGISTRY, type Logging, type Metrics } from '@carillon/runtime';
import { UwsHttpAdapter } from '@carillon/uws';
import { type DynamicModule, Inject, Module, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ChannelPushes } from './push/channel-pushes.js';
import { type CompatApiParts, mountCompatApi } from './mount.js';

const PARTS = Symbol('compat api parts');

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
    const parts = {
      provide: PARTS,
      inject: [
        COMPAT_CORE,
        RATE_LIMIT,
        METRICS_REGISTRY,
        FABRIC,
        OPERATIONS,
        LOGGING,
        { token: HISTORY_READER, optional: true },
        { token: MESSAGE_READER, optional: true },
        { token: PRESENCE_HISTORY_READER, optional: true },
        { token: PUSH_OPERATIONS, optional: true },
        { token: PRESENCE, optional: true },
        { token: PUSH_CHANNELS, optional: true },
      ],
      useFactory: (
        core: CompatCore,
        rateLimit: RateLimit,
        metrics: Metrics,
        fabric: Fabric,
        operations: Operations,
        logging: Logging,
        history?: HistoryReader,
        messages?: MessageReader,
        presenceHistory?: PresenceHistoryReader,
        push?: PushOperations,
        presence?: Presence,
        pushChannels?: PushChannels,
      ): CompatApiParts => {
        pushChannels?.use(new ChannelPushes(core));
        return {
          config,
          core,
          rate: new AppRate(rateLimit, metrics),
          fabric,
          operations,
          history: history ?? null,
          messages: messages ?? null,
          presenceHistory: presenceHistory ?? null,
          presence: config.server_role === 'api' ? null : (presence ?? null),
          push: push ?? null,
          log: logging.for('service::compat'),
        };
      },
    };
    return [{ module: CompatApiModule, imports: [CompatCoreModule], providers: [parts] }];
  }

  onModuleInit(): void {
    const { httpAdapter } = this.host;
    if (!(httpAdapter instanceof UwsHttpAdapter)) throw new Error('the compat API needs the adapter of uws');
    mountCompatApi(httpAdapter, this.parts);
  }
}

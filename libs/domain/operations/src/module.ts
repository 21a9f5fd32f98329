import { WEBHOOK_EVENTS, type WebhookEvents } from '@carillon/webhooks';
import { CACHE, type Cache } from '@carillon/cache';
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
import { PRESENCE, type Presence } from '@carillon/presence';
import {
  type BatchPublisher,
  COMMITS,
  type Commits,
  LAST_EVENTS,
  type LastEvents,
  PUBLISHER,
} from '@carillon/publishing';
import { PUSH, type PushService } from '@carillon/push';
import { RATE_LIMIT, type RateLimit } from '@carillon/rate-limit';
import { LOGGING, METRICS_REGISTRY, type Logging, type Metrics } from '@carillon/runtime';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import type { HistoryAccess } from './history/durable-channel.js';
import { createOperations, type LiveParts, type Operations } from './operations.js';

/** Token of the `Operations` of the process. */
export const OPERATIONS = Symbol('operations');

const LIVE = Symbol('live parts of the operations');

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
 * What the process can be asked to do, for all its faces. Needs `RuntimeModule` and the modules of the cache, the rate
 * limiter, the fabric and publishing; in role `default` that of presence too.
 */
@Global()
@Module({})
export class OperationsModule {
  static of(config: Config): DynamicModule {
    const operations = {
      provide: OPERATIONS,
      inject: [
        PUBLISHER,
        CACHE,
        FABRIC,
        RATE_LIMIT,
        METRICS_REGISTRY,
        LOGGING,
        LIVE,
        WEBHOOK_EVENTS,
        { token: HISTORY_READER, optional: true },
        { token: PRESENCE_HISTORY_READER, optional: true },
        { token: COMMITS, optional: true },
        { token: MESSAGE_READER, optional: true },
        { token: PUSH, optional: true },
      ],
      useFactory: (
        publisher: BatchPublisher,
        cache: Cache,
        fabric: Fabric,
        rateLimit: RateLimit,
        metrics: Metrics,
        logging: Logging,
        live: LiveParts | null,
        webhooks: WebhookEvents,
        reader?: HistoryReader,
        presenceReader?: PresenceHistoryReader,
        commits?: Commits,
        messageReader?: MessageReader,
        push?: PushService,
      ): Operations =>
        createOperations({
          config,
          publisher,
          cache,
          fabric,
          rateLimit,
          metrics,
          log: logging.for('service::api'),
          push: push?.triggers() ?? null,
          live,
          history: accessOf(reader, presenceReader, commits),
          messages:
            messageReader === undefined || commits === undefined ? null : { reader: messageReader, commits },
          webhooks,
        }),
    };
    const live = config.server_role === 'api' ? noLiveParts : liveParts;
    return { module: OperationsModule, providers: [live, operations], exports: [OPERATIONS] };
  }
}

import { WEBHOOK_EVENTS } from '@carillon/webhooks';
import { CACHE } from '@carillon/cache';
import type { Config } from '@carillon/config';
import { BROKER } from '@carillon/broker';
import {
  HISTORY_READER,
  type HistoryReader,
  MESSAGE_READER,
  PRESENCE_HISTORY_READER,
  type PresenceHistoryReader,
} from '@carillon/history-reader';
import { PRESENCE } from '@carillon/presence';
import { COMMITS, type Commits, LAST_EVENTS, PUBLISHER } from '@carillon/history-publish';
import { PUSH } from '@carillon/push-core';
import { RATE_LIMIT } from '@carillon/rate-limit';
import { optional, provider, RUNTIME, token } from '@carillon/runtime';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import type { HistoryAccess } from './history/durable-channel.js';
import { createOperations, type LiveParts, type Operations } from './operations.js';

/** Token of the `Operations` of the process. */
export const OPERATIONS = token<Operations>('operations');

const LIVE = token<LiveParts | null>('live parts of the operations');

/** Role `api` has no sockets, and lacks the modules that would provide them. */
const noLiveParts = { provide: LIVE, useValue: null };

const liveParts = provider(LIVE, { presence: PRESENCE, lastEvents: LAST_EVENTS }, (parts) => parts);

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
 * Operations of the process for all transports. Needs `RuntimeModule` and the modules of the cache, the rate limiter,
 * the broker and publishing; in role `default` that of presence too.
 */
@Global()
@Module({})
export class OperationsModule {
  static of(config: Config): DynamicModule {
    const operations = provider(
      OPERATIONS,
      {
        ...RUNTIME,
        publisher: PUBLISHER,
        cache: CACHE,
        broker: BROKER,
        rateLimit: RATE_LIMIT,
        live: LIVE,
        lastEvents: LAST_EVENTS,
        webhooks: WEBHOOK_EVENTS,
        reader: optional(HISTORY_READER),
        presenceReader: optional(PRESENCE_HISTORY_READER),
        messageReader: optional(MESSAGE_READER),
        commits: optional(COMMITS),
        push: optional(PUSH),
      },
      ({ reader, presenceReader, messageReader, commits, push, logging, ...parts }) =>
        createOperations({
          ...parts,
          config,
          log: logging.for('service::api'),
          push: push?.triggers() ?? null,
          history: accessOf(reader, presenceReader, commits),
          messages:
            messageReader === undefined || commits === undefined ? null : { reader: messageReader, commits },
        }),
    );
    const live = config.server_role === 'api' ? noLiveParts : liveParts;
    return { module: OperationsModule, providers: [live, operations], exports: [OPERATIONS] };
  }
}

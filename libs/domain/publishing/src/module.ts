import { AiChannels } from '@carillon/ai-transport';
import { CACHE, type Cache } from '@carillon/cache';
import type { Config } from '@carillon/config';
import { maxMessageBytes } from '@carillon/contract';
import { FABRIC, type Fabric } from '@carillon/fabric';
import { REPLAY, type Replay } from '@carillon/replay';
import { CONFIG, LOGGING, METRICS_REGISTRY, type Logging, type Metrics } from '@carillon/runtime';
import { type DynamicModule, Global, type InjectionToken, Module } from '@nestjs/common';
import { ChannelPublisher } from './channel-publisher.js';
import type { Commits } from './commits.js';
import { DurablePublisher } from './durable-publisher.js';
import { LivePublisher } from './live-publisher.js';
import type { BatchPublisher } from './port.js';
import { SequencedPublisher } from './sequenced-publisher.js';
import { StoredLastEvents } from './stored-last-events.js';

/** Token of the `BatchPublisher`. */
export const PUBLISHER = Symbol('publisher');
/** Token of the `Commits`. Not provided: channels with a history cannot be published to. */
export const COMMITS = Symbol('commits');
/** Token of the `LastEvents`. */
export const LAST_EVENTS = Symbol('last events');

const MIB = 1024 * 1024;
/** A payload that is not a string becomes one, and every character of it may need a backslash. */
const GROWTH = 2;

function lastEventsOf({ channel_limits, http_api }: Config, cache: Cache): StoredLastEvents {
  return new StoredLastEvents({
    cache,
    ttlMs: Math.min(channel_limits.cache_ttl * 1000, Number.MAX_SAFE_INTEGER),
    maxRecordBytes: maxMessageBytes(http_api.request_limit_in_mb * MIB * GROWTH),
  });
}

function livingOf({ versioned_messages: versions, ai_transport }: Config) {
  if (!versions.enabled) return {};
  const ai = new AiChannels(ai_transport);
  const window = versions.retention_window_seconds;
  const versionsMs = window === 0 ? null : Math.min(window * 1000, Number.MAX_SAFE_INTEGER);
  return { living: { versionsMs, aiOf: (channel: string) => ai.limitsOf(channel) } };
}

function publisherOf(
  fabric: Fabric,
  lastEvents: StoredLastEvents,
  logging: Logging,
  config: Config,
  metrics: Metrics,
  replay?: Replay,
  commits?: Commits,
): BatchPublisher {
  const log = logging.for('service::publishing');
  const live = new LivePublisher({ fabric, lastEvents, log });
  const ephemeral = metrics.counter('ephemeral_messages_total');
  return new ChannelPublisher(
    live,
    commits === undefined ? null : new DurablePublisher({ commits, lastEvents, log, ...livingOf(config) }),
    replay === undefined ? null : new SequencedPublisher({ replay, live, metrics }),
    (app_id) => ephemeral.for({ app_id }).add(),
  );
}

/** Publishing for the whole process. Needs `RuntimeModule`, `FabricModule` and `CacheModule`. */
@Global()
@Module({
  providers: [
    { provide: LAST_EVENTS, inject: [CONFIG, CACHE], useFactory: lastEventsOf },
    {
      provide: PUBLISHER,
      inject: [
        FABRIC,
        LAST_EVENTS,
        LOGGING,
        CONFIG,
        METRICS_REGISTRY,
        { token: REPLAY, optional: true },
        { token: COMMITS, optional: true },
      ],
      useFactory: publisherOf,
    },
  ],
  exports: [LAST_EVENTS, PUBLISHER],
})
export class PublishingModule {
  /** Commits events of channels with a history by what this token stands for. */
  static committing(commits: InjectionToken): DynamicModule {
    return {
      module: PublishingModule,
      providers: [{ provide: COMMITS, useExisting: commits }],
      exports: [COMMITS],
    };
  }
}

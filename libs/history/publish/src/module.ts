import { AiChannels } from '@carillon/history-ai';
import { CACHE, type Cache } from '@carillon/cache';
import type { Config } from '@carillon/config';
import { maxMessageBytes } from '@carillon/contracts';
import { BROKER, type Broker } from '@carillon/broker';
import { REPLAY, type Replay } from '@carillon/history-positions';
import { optional, provider, RUNTIME, type RuntimeParts, type Token, token } from '@carillon/runtime';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { ChannelPublisher } from './channel-publisher.js';
import type { Commits } from './commits.js';
import { DurablePublisher } from './durable-publisher.js';
import { LivePublisher } from './live-publisher.js';
import type { BatchPublisher } from './port.js';
import { SequencedPublisher } from './sequenced-publisher.js';
import { StoredLastEvents } from './stored-last-events.js';

export const PUBLISHER = token<BatchPublisher>('publisher');
/** Token of the `Commits`. Not provided: channels with a history cannot be published to. */
export const COMMITS = token<Commits>('commits');
/** Token of the `LastEvents`. */
export const LAST_EVENTS = token<StoredLastEvents>('last events');

const MIB = 1024 * 1024;
/** A payload that is not a string becomes one, and every character of it may need a backslash. */
const GROWTH = 2;

interface LastEventsParts extends RuntimeParts {
  readonly cache: Cache;
}

function lastEventsOf({ config, cache }: LastEventsParts): StoredLastEvents {
  const { channel_limits, http_api } = config;
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

interface PublisherParts extends RuntimeParts {
  readonly broker: Broker;
  readonly lastEvents: StoredLastEvents;
  readonly replay: Replay | undefined;
  readonly commits: Commits | undefined;
}

function publisherOf(parts: PublisherParts): BatchPublisher {
  const { broker, lastEvents, logging, config, metrics, replay, commits } = parts;
  const log = logging.for('service::publishing');
  const live = new LivePublisher({ broker, lastEvents, log });
  const published = metrics.counter('messages_published_total');
  const ephemeral = metrics.counter('ephemeral_messages_total');
  return new ChannelPublisher(
    live,
    commits === undefined ? null : new DurablePublisher({ commits, lastEvents, log, ...livingOf(config) }),
    replay === undefined ? null : new SequencedPublisher({ replay, live, metrics }),
    (app_id) => ephemeral.for({ app_id }).add(),
    (app_id, count) => published.for({ app_id }).add(count),
  );
}

/** Publishing for the whole process. Needs `RuntimeModule`, `BrokerModule` and `CacheModule`. */
@Global()
@Module({
  providers: [
    provider(LAST_EVENTS, { ...RUNTIME, cache: CACHE }, lastEventsOf),
    provider(
      PUBLISHER,
      {
        ...RUNTIME,
        broker: BROKER,
        lastEvents: LAST_EVENTS,
        replay: optional(REPLAY),
        commits: optional(COMMITS),
      },
      publisherOf,
    ),
  ],
  exports: [LAST_EVENTS, PUBLISHER],
})
export class PublishingModule {
  /** Uses the committer of this token for durable channels. */
  static committing(commits: Token<Commits>): DynamicModule {
    return {
      module: PublishingModule,
      providers: [{ provide: COMMITS, useExisting: commits }],
      exports: [COMMITS],
    };
  }
}

import { Channels } from '@carillon/channels';
import type { Cache } from '@carillon/cache';
import type { Config } from '@carillon/config';
import type { Fabric } from '@carillon/fabric';
import type { Presence } from '@carillon/presence';
import type { LastEvents, Publisher } from '@carillon/publishing';
import type { RateLimit } from '@carillon/rate-limit';
import type { Logger, Metrics } from '@carillon/runtime';
import type { UwsHttpAdapter } from '@carillon/uws';
import { addressLimit } from './address-limit.js';
import { DisconnectUserEndpoint } from './disconnect-user.js';
import { KeyRules } from './idempotency/keys.js';
import { MessageReceipts } from './idempotency/message-receipts.js';
import { RequestRecords } from './idempotency/request-records.js';
import { AppRate } from './pipeline/app-rate.js';
import type { Endpoint } from './pipeline/call.js';
import { KnownApps } from './pipeline/known-apps.js';
import { Pipeline, type AppsByKey } from './pipeline/pipeline.js';
import { AiRules } from './publish/ai.js';
import { BatchEndpoint } from './publish/batch.js';
import { PublishCounts } from './publish/counts.js';
import { EventsEndpoint } from './publish/events.js';
import { EventPublisher } from './publish/publish-event.js';
import { EventReader } from './publish/read-event.js';
import { EventRunner } from './publish/run-event.js';
import { RevokeTokensEndpoint } from './revoke-tokens.js';
import { ChannelStateEndpoint } from './state/channel-state.js';
import { ChannelUsersEndpoint } from './state/channel-users.js';
import { ListChannelsEndpoint } from './state/list-channels.js';

/** What only a process needs that answers for live sockets. */
export interface LiveParts {
  readonly fabric: Fabric;
  readonly presence: Presence;
  readonly lastEvents: LastEvents;
}

/** What the API stands on. */
export interface HttpApiParts {
  readonly config: Config;
  readonly apps: AppsByKey;
  readonly publisher: Publisher;
  readonly cache: Cache;
  readonly rateLimit: RateLimit;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** Null in role `api`: routes about live sockets do not exist there. */
  readonly live: LiveParts | null;
  /** Unix time in seconds; absent: the clock. */
  readonly nowSeconds?: () => number;
}

const systemSeconds = (): number => Date.now() / 1000;

/** Puts every route of the API on the adapter, and the address limiter in front of them where it is configured. */
export function mountHttpApi(adapter: UwsHttpAdapter, parts: HttpApiParts): void {
  const { config, apps, rateLimit, metrics, log, nowSeconds = systemSeconds } = parts;
  const pipeline = new Pipeline({
    apps,
    known: new KnownApps(metrics),
    rate: new AppRate(rateLimit, metrics),
    log,
    nowSeconds,
  });
  const route = (method: string, path: string, endpoint: Endpoint): void =>
    adapter.fastRoute(method, `/apps/:appId${path}`, pipeline.serve(endpoint));
  const channels = new Channels(config);
  const { events, batch } = publishEndpoints(parts, channels);
  route('POST', '/events', events);
  route('POST', '/batch_events', batch);
  route('POST', '/revocations', new RevokeTokensEndpoint(parts.cache, nowSeconds));
  if (parts.live !== null) {
    for (const [method, path, endpoint] of liveRoutes(parts.live, channels)) route(method, path, endpoint);
  }
  if (config.rate_limiter.enabled) {
    adapter.admission = addressLimit(config.rate_limiter, rateLimit, metrics);
  }
}

function publishEndpoints(parts: HttpApiParts, channels: Channels): { events: Endpoint; batch: Endpoint } {
  const { config, publisher, cache, metrics, log, live } = parts;
  const keys = new KeyRules(config.idempotency);
  const records = new RequestRecords(cache, log);
  const reader = new EventReader({
    ephemeralEnabled: config.ephemeral.enabled,
    channels,
    keys,
    ai: new AiRules(config.ai_transport),
    countsAllowed: live !== null,
  });
  const runner = new EventRunner({
    publisher: new EventPublisher(publisher, new MessageReceipts(cache, log), keys),
    records,
    keys,
    metrics,
    counts: live === null ? null : new PublishCounts(live.fabric, live.presence, log),
  });
  return {
    events: new EventsEndpoint(reader, runner, keys),
    batch: new BatchEndpoint({ reader, runner, records, keys, metrics }),
  };
}

function liveRoutes(live: LiveParts, channels: Channels): [string, string, Endpoint][] {
  const { fabric, presence } = live;
  return [
    ['GET', '/channels', new ListChannelsEndpoint(fabric, presence)],
    ['GET', '/channels/:channelName', new ChannelStateEndpoint({ ...live, channels })],
    ['GET', '/channels/:channelName/users', new ChannelUsersEndpoint(channels, presence)],
    ['POST', '/users/:userId/terminate_connections', new DisconnectUserEndpoint(fabric, 'terminate_user')],
    ['POST', '/users/:userId/force_reconnect', new DisconnectUserEndpoint(fabric, 'force_reconnect')],
  ];
}

import { Channels } from '@carillon/channels';
import type { Cache } from '@carillon/cache';
import type { Config } from '@carillon/config';
import type { Fabric } from '@carillon/fabric';
import type { Presence } from '@carillon/presence';
import type { BatchPublisher, LastEvents } from '@carillon/publishing';
import type { RateLimit } from '@carillon/rate-limit';
import type { Logger, Metrics } from '@carillon/runtime';
import type { UwsHttpAdapter } from '@carillon/uws';
import { addressLimit } from './address-limit.js';
import { DisconnectUserEndpoint } from './disconnect-user.js';
import { openApiText } from './document/openapi.js';
import type { HistoryAccess, HistoryParts } from './history/durable-channel.js';
import {
  PresenceHistoryStateEndpoint,
  PresenceSnapshotEndpoint,
  ReadPresenceHistoryEndpoint,
} from './history/presence-history.js';
import { PurgeHistoryEndpoint } from './history/purge-history.js';
import { HistoryStateEndpoint, ReadHistoryEndpoint } from './history/read-history.js';
import { ResetHistoryEndpoint } from './history/reset-history.js';
import { KeyRules } from './idempotency/keys.js';
import { MessageReceipts } from './idempotency/message-receipts.js';
import { RequestRecords } from './idempotency/request-records.js';
import { AppRate } from './pipeline/app-rate.js';
import type { Route } from './describe/route.js';
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
import { COMMON_ROUTES, LIVE_ROUTES } from './route-table.js';
import { ChannelStateEndpoint } from './state/channel-state.js';
import { ChannelUsersEndpoint } from './state/channel-users.js';
import { ListChannelsEndpoint } from './state/list-channels.js';

/** What only a process needs that answers for live sockets. */
export interface LiveParts {
  readonly presence: Presence;
  readonly lastEvents: LastEvents;
}

/** What the API stands on. */
export interface HttpApiParts {
  readonly config: Config;
  readonly apps: AppsByKey;
  readonly publisher: BatchPublisher;
  readonly cache: Cache;
  readonly fabric: Fabric;
  readonly rateLimit: RateLimit;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** Null in role `api`: routes about live sockets do not exist there. */
  readonly live: LiveParts | null;
  /** Null: this process has no way to the histories of channels. */
  readonly history: HistoryAccess | null;
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
  const mount = <Name extends string>(
    routes: Readonly<Record<Name, Route>>,
    endpoints: Readonly<Record<Name, Endpoint>>,
  ): void => {
    for (const name in routes) {
      const route = routes[name];
      adapter.fastRoute(route.method, `/apps/:appId${route.path}`, pipeline.serve(route, endpoints[name]));
    }
  };
  const channels = new Channels(config);
  mount(COMMON_ROUTES, commonEndpoints(parts, channels, nowSeconds));
  if (parts.live !== null) mount(LIVE_ROUTES, liveEndpoints(parts.fabric, parts.live, channels));
  if (config.mode !== 'production') serveDocument(adapter, parts);
  if (config.rate_limiter.enabled) {
    adapter.admission = addressLimit(config.rate_limiter, rateLimit, metrics);
  }
}

function commonEndpoints(
  parts: HttpApiParts,
  channels: Channels,
  nowSeconds: () => number,
): Record<keyof typeof COMMON_ROUTES, Endpoint> {
  const { config, publisher, cache, fabric, metrics, log, live } = parts;
  const keys = new KeyRules(config.idempotency);
  const records = new RequestRecords(cache, log);
  const reader = new EventReader({
    ephemeralEnabled: config.ephemeral.enabled,
    channels,
    keys,
    ai: new AiRules(config.ai_transport),
    countsAllowed: live !== null,
  });
  const history: HistoryParts = {
    channels,
    access: parts.history,
    maxPageSize: config.history.max_page_size,
    maxPresencePageSize: config.presence_history.max_page_size,
  };
  const runner = new EventRunner({
    publisher: new EventPublisher(publisher, new MessageReceipts(cache, log), keys),
    records,
    keys,
    metrics,
    counts: live === null ? null : new PublishCounts(fabric, live.presence, log),
  });
  return {
    publishEvent: new EventsEndpoint(reader, runner, keys),
    publishBatch: new BatchEndpoint({ reader, runner, records, keys, metrics }),
    revokeTokens: new RevokeTokensEndpoint({ cache, fabric, asks: live !== null, log, nowSeconds }),
    readHistory: new ReadHistoryEndpoint(history),
    historyState: new HistoryStateEndpoint(history),
    resetHistory: new ResetHistoryEndpoint(history, 'messages'),
    purgeHistory: new PurgeHistoryEndpoint(history),
    readPresenceHistory: new ReadPresenceHistoryEndpoint(history),
    presenceHistoryState: new PresenceHistoryStateEndpoint(history),
    presenceSnapshot: new PresenceSnapshotEndpoint(history),
    resetPresenceHistory: new ResetHistoryEndpoint(history, 'presence'),
  };
}

function liveEndpoints(
  fabric: Fabric,
  live: LiveParts,
  channels: Channels,
): Record<keyof typeof LIVE_ROUTES, Endpoint> {
  const { presence } = live;
  return {
    listChannels: new ListChannelsEndpoint(fabric, presence),
    channelState: new ChannelStateEndpoint({ ...live, fabric, channels }),
    channelUsers: new ChannelUsersEndpoint(channels, presence),
    terminateConnections: new DisconnectUserEndpoint(fabric, 'terminate_user'),
    forceReconnect: new DisconnectUserEndpoint(fabric, 'force_reconnect'),
  };
}

/** What this process serves, described; for development, unsigned. */
function serveDocument(adapter: UwsHttpAdapter, { live }: HttpApiParts): void {
  const text = openApiText(live === null ? COMMON_ROUTES : { ...COMMON_ROUTES, ...LIVE_ROUTES });
  adapter.fastRoute('GET', '/openapi.json', (_request, response) => response.end(text, 'application/json'));
}

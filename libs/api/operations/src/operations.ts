import { AiChannels, AiMeters, headerLimits } from '@carillon/history-ai';
import { NO_WEBHOOKS, type WebhookEvents } from '@carillon/webhooks';
import { annotateMessage, deleteAnnotation, listAnnotations } from './messages/annotate-message.js';
import { mutateMessage, type MutationParts } from './messages/mutate-message.js';
import { actingSockets } from './messages/acting-sockets.js';
import { extrasRules } from './messages/deliverable.js';
import type { MessageAccess } from './messages/parts.js';
import { listVersions, readMessage } from './messages/read-message.js';
import type { Cache } from '@carillon/cache';
import { Channels } from '@carillon/channels';
import type { Config } from '@carillon/config';
import type { Broker } from '@carillon/broker';
import type { Presence } from '@carillon/presence';
import type { BatchPublisher, LastEvents, StoredLastEvents } from '@carillon/history-publish';
import type { Triggers } from '@carillon/push-core';
import type { RateLimit } from '@carillon/rate-limit';
import type { Logger, Metrics } from '@carillon/runtime';
import { AppRate } from './app-rate.js';
import { COMMON_DESCRIPTIONS, LIVE_DESCRIPTIONS } from './descriptions.js';
import type { Description, InputOf, ResultOf } from './describe/description.js';
import type { HistoryAccess, HistoryParts } from './history/durable-channel.js';
import { PurgedLastEvents } from './history/purged-last-events.js';
import { presenceHistoryState, presenceSnapshot, readPresenceHistory } from './history/presence-history.js';
import { purgeHistory } from './history/purge-history.js';
import { historyState, readHistory } from './history/read-history.js';
import { resetHistory, resetPresenceHistory } from './history/reset-history.js';
import { KeyRules } from './idempotency/keys.js';
import { MessageReceipts } from './idempotency/message-receipts.js';
import { OncePublisher } from './idempotency/once-publisher.js';
import { RequestRecords } from './idempotency/request-records.js';
import { Admitted, type Operation, type Work } from './operation.js';
import { PublishNews } from './publish/news.js';
import { AiRules } from './publish/ai.js';
import { publishBatch } from './publish/batch.js';
import { PublishCounts } from './publish/counts.js';
import { publishEvent } from './publish/publish.js';
import { EventOwners } from './publish/event-owners.js';
import { EventPublisher } from './publish/publish-event.js';
import { EventReader } from './publish/read-event.js';
import { EventRunner } from './publish/run-event.js';
import { channelState } from './state/channel-state.js';
import { channelUsers } from './state/channel-users.js';
import { listChannels } from './state/list-channels.js';
import { revokeTokens } from './tokens/revoke-tokens.js';
import { disconnectUser } from './users/disconnect-user.js';

/** Dependencies of processes with live sockets. */
export interface LiveParts {
  readonly presence: Presence;
  readonly lastEvents: LastEvents;
}

/** Dependencies of operations. */
export interface OperationsParts {
  readonly config: Config;
  readonly publisher: BatchPublisher;
  readonly cache: Cache;
  readonly broker: Broker;
  readonly rateLimit: RateLimit;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** Null: nothing becomes a push in this process. */
  readonly push: Triggers | null;
  /** Store of last events, from which purged ones are removed. */
  readonly lastEvents: Pick<StoredLastEvents, 'forgetIf'>;
  /** Null in role `api`: operations about live sockets do not exist there. */
  readonly live: LiveParts | null;
  /** Null: this process has no way to the histories of channels. */
  readonly history: HistoryAccess | null;
  /** Absent: this process has no access to mutable messages. */
  readonly messages?: MessageAccess | null;
  /** Absent: no webhooks. */
  readonly webhooks?: Pick<WebhookEvents, 'emit' | 'wants'>;
  /** Unix time in seconds; absent: the clock. */
  readonly nowSeconds?: () => number;
}

type Works<Table extends Readonly<Record<string, Description>>> = {
  readonly [Name in keyof Table]: Work<Table[Name]>;
};
type Performed<Table extends Readonly<Record<string, Description>>> = {
  readonly [Name in keyof Table]: Operation<InputOf<Table[Name]>, ResultOf<Table[Name]>>;
};

/** Operations of this process. */
export interface Operations extends Performed<typeof COMMON_DESCRIPTIONS> {
  /** Null in role `api`. */
  readonly live: Performed<typeof LIVE_DESCRIPTIONS> | null;
}

const systemSeconds = (): number => Date.now() / 1000;

export function createOperations(parts: OperationsParts): Operations {
  const { live, rateLimit, metrics } = parts;
  const rate = new AppRate(rateLimit, metrics);
  const channels = new Channels(parts.config);
  return {
    ...admitted(rate, COMMON_DESCRIPTIONS, commonWorks(parts, channels)),
    live: live === null ? null : admitted(rate, LIVE_DESCRIPTIONS, liveWorks(parts, live, channels)),
  };
}

function admitted<Table extends Readonly<Record<string, Description>>>(
  rate: AppRate,
  table: Table,
  works: Works<Table>,
): Performed<Table> {
  const names = Object.keys(table) as (keyof Table)[];
  const entries = names.map((name) => [name, new Admitted(table[name], rate, works[name])] as const);
  return Object.fromEntries(entries) as unknown as Performed<Table>;
}

function commonWorks(parts: OperationsParts, channels: Channels): Works<typeof COMMON_DESCRIPTIONS> {
  const { config, publisher, cache, broker, metrics, log, live, nowSeconds = systemSeconds } = parts;
  const keys = new KeyRules(config.idempotency);
  const records = new RequestRecords(cache, log);
  const reader = new EventReader({
    extras: extrasRules(config),
    channels,
    keys,
    ai: new AiRules(new AiChannels(config.ai_transport), headerLimits(config)),
    aiMeters: new AiMeters(metrics),
    countsAllowed: live !== null,
  });
  const history: HistoryParts = {
    channels,
    access: parts.history,
    maxPageSize: config.history.max_page_size,
    maxPresencePageSize: config.presence_history.max_page_size,
    lastEvents: new PurgedLastEvents(parts.lastEvents, log),
  };
  const runner = new EventRunner({
    news: new PublishNews(parts.webhooks ?? NO_WEBHOOKS, new AiChannels(config.ai_transport), metrics),
    publisher: new EventPublisher(
      publisher,
      new OncePublisher(publisher, new MessageReceipts(cache, log)),
      keys,
    ),
    owners: new EventOwners(
      config.versioned_messages.enabled && live !== null ? actingSockets(broker) : null,
      log,
    ),
    records,
    keys,
    metrics,
    push: parts.push,
    counts: live === null ? null : new PublishCounts(broker, live.presence, log),
  });
  return {
    publishEvent: publishEvent(reader, runner, keys),
    publishBatch: publishBatch({ reader, runner, records, keys, metrics }),
    revokeTokens: revokeTokens({ cache, broker, asks: live !== null, log, nowSeconds }),
    readHistory: readHistory(history),
    historyState: historyState(history),
    resetHistory: resetHistory(history),
    purgeHistory: purgeHistory(history),
    readPresenceHistory: readPresenceHistory(history),
    presenceHistoryState: presenceHistoryState(history),
    presenceSnapshot: presenceSnapshot(history),
    resetPresenceHistory: resetPresenceHistory(history),
    ...messageWorks(parts, channels),
  };
}

function messageWorks(parts: OperationsParts, channels: Channels) {
  const { config, live, messages: access = null, webhooks = NO_WEBHOOKS } = parts;
  const living: MutationParts = {
    config,
    channels,
    ai: new AiChannels(config.ai_transport),
    access,
    metrics: parts.metrics,
    webhooks,
    sockets: live === null ? null : actingSockets(parts.broker),
    headers: headerLimits(config),
    extras: extrasRules(config),
  };
  return {
    readMessage: readMessage(living),
    listVersions: listVersions(living),
    updateMessage: mutateMessage('update', living),
    deleteMessage: mutateMessage('delete', living),
    appendMessage: mutateMessage('append', living),
    annotateMessage: annotateMessage(living),
    listAnnotations: listAnnotations(living),
    deleteAnnotation: deleteAnnotation(living),
  };
}

function liveWorks(
  { broker, config, messages }: OperationsParts,
  live: LiveParts,
  channels: Channels,
): Works<typeof LIVE_DESCRIPTIONS> {
  const { presence } = live;
  return {
    listChannels: listChannels(broker, presence),
    channelState: channelState({
      ...live,
      broker,
      channels,
      ai: new AiChannels(config.ai_transport),
      messages: messages?.reader ?? null,
    }),
    channelUsers: channelUsers(channels, presence),
    terminateConnections: disconnectUser(broker, 'terminate_user'),
    forceReconnect: disconnectUser(broker, 'force_reconnect'),
  };
}

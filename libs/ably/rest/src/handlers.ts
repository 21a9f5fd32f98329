import type { CompatCore } from '@carillon/ably-core';
import type { Config } from '@carillon/config';
import type { Broker } from '@carillon/broker';
import type { HistoryReader, MessageReader, PresenceHistoryReader } from '@carillon/history-reader';
import type { AppRate, Operations } from '@carillon/api-operations';
import type { Presence } from '@carillon/presence';
import type { PushOperations } from '@carillon/push-core';
import type { Logger } from '@carillon/runtime';
import type { Entry } from './access.js';
import { AnnotationRoutes } from './annotations.js';
import type { Route } from './exchange.js';
import { FromSerial } from './from-serial.js';
import { History } from './history.js';
import { Messages } from './messages.js';
import { PresenceHistory } from './presence-history.js';
import { Publishing } from './publish.js';
import { pushRoutes } from './push/mount.js';
import type { CompatRouteName } from './routes/routes.js';
import { StatsRoutes } from './stats.js';
import { State } from './state.js';
import { Summaries } from './summaries.js';
import { TokenRoutes } from './tokens.js';

/** Dependencies of the routes. */
export interface CompatApiParts {
  readonly config: Config;
  readonly core: CompatCore;
  readonly rate: AppRate;
  readonly broker: Broker;
  readonly operations: Operations;
  /** Null: this process has no way to the histories of channels. */
  readonly history: HistoryReader | null;
  /** Null: without mutable messages. */
  readonly messages: MessageReader | null;
  /** Null: without presence history. */
  readonly presenceHistory: PresenceHistoryReader | null;
  /** Null in a process without sockets, where the routes about them do not exist. */
  readonly presence: Presence | null;
  /** Null: nothing is pushed by this process. */
  readonly push: PushOperations | null;
  readonly log: Logger;
  readonly now?: () => number;
}

/** Handler of each route; a route without one does not exist. */
export type Handlers = Partial<Record<CompatRouteName, Route>>;

/** Creates the handlers of this process. */
export function handlersOf(parts: CompatApiParts, entry: Entry, now: () => number): Handlers {
  const { core, history, config, operations, push } = parts;
  const summaries = new Summaries(parts.messages);
  const from = history === null ? null : new FromSerial(history, parts.messages);
  const publishing = new Publishing(core, entry);
  const tokens = new TokenRoutes(core, entry, now);
  const versions = config.versioned_messages.max_page_size;
  const messages = new Messages(core, operations, entry, versions, summaries, history);
  const annotations = new AnnotationRoutes(core, operations, entry, versions);
  const cameAndWent = config.presence_history.max_page_size;
  return {
    time: async () => ({ status: 200, body: [now()] }),
    requestToken: tokens.request,
    revokeTokens: tokens.revoke,
    publish: publishing.one,
    publishBatch: publishing.batch,
    history: new History(history, from, summaries, entry, config.history.max_page_size).page,
    findMessage: messages.latest,
    editMessage: messages.edit,
    listVersions: messages.versions,
    listAnnotations: annotations.list,
    annotate: annotations.add,
    presenceHistory: new PresenceHistory(parts.presenceHistory, entry, cameAndWent).page,
    ...stateHandlers(parts, entry, now),
    ...statsHandlers(parts, entry, now),
    ...(push === null ? {} : pushRoutes(core, push, entry, now)),
  };
}

function stateHandlers(
  { presence, broker, history }: CompatApiParts,
  entry: Entry,
  now: () => number,
): Handlers {
  if (presence === null) return {};
  const state = new State(presence, broker, entry, history, now);
  return {
    channelStatus: state.status,
    listMembers: state.members,
    listMembersOfMany: state.membersOfMany,
  };
}

const view =
  (read: () => object): Route =>
  async () => ({ status: 200, body: read() });

function statsHandlers({ core, config }: CompatApiParts, entry: Entry, now: () => number): Handlers {
  const stats = new StatsRoutes(core, entry, now);
  return {
    stats: stats.page,
    putStats: stats.replace,
    ...(config.http_api.usage_enabled
      ? {
          statsAggregation: view(() => core.statistics.aggregation),
          compatRuntime: view(() => core.counters.values),
        }
      : {}),
  };
}
